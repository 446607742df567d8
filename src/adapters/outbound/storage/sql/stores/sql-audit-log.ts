import type { Knex } from 'knex';
import type { AuditLog } from '../../../../../application/ports/events/audit-log.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  type AuditEntry,
  type AuditFilter,
  type KeptEntry,
  MAX_SEARCHED,
} from '../../../../../domain/events/audit-entry.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { AUDIT_COLUMNS, type AuditRow, toEntry } from '../tables/audit-row.ts';
import { recordChange } from './record-change.ts';

export class SqlAuditLog extends SqlStore implements AuditLog {
  async record(entry: AuditEntry): Promise<void> {
    await this.recordAll([entry]);
  }

  async recordAll(audit: readonly AuditEntry[]): Promise<void> {
    await this.database.write((knex) => recordChange(knex, { audit }));
  }

  async list(filter: AuditFilter, page: PageRequest): Promise<Page<KeptEntry>> {
    return this.database.unchanged(
      `audit ${JSON.stringify([filter, page])}`,
      () =>
        pageOf(this.#matching(filter), page, async (window) =>
          (await this.database.rowsOf<AuditRow>(window.select(AUDIT_COLUMNS).orderBy('id', 'desc'))).map(
            toEntry,
          ),
        ),
      ({ items }) => items.length,
    );
  }

  async after(filter: AuditFilter, id: number, limit: number): Promise<readonly KeptEntry[]> {
    const rows: AuditRow[] = await this.#matching(filter)
      .where('id', '>', id)
      .orderBy('id')
      .limit(limit)
      .select(AUDIT_COLUMNS);
    return rows.map(toEntry);
  }

  #matching(filter: AuditFilter): Knex.QueryBuilder {
    const query = this.database.knex('audit_entries');
    const { object, actorKind, actorId, actorName, action, except, serverId, outcome, from, until } = filter;
    if (object !== undefined) query.where({ object });
    if (actorKind !== undefined) query.where({ actor_kind: actorKind });
    if (actorId !== undefined) query.where({ actor_id: actorId });
    if (actorName !== undefined) query.where({ actor_name: actorName });
    if (action !== undefined) {
      // Between the dot and the character after it: values that start with the action and a dot, by an index.
      query.where((any) => void any.where({ action }).orWhereBetween('action', [`${action}.`, `${action}/`]));
    }
    if (except !== undefined) query.whereNotIn('action', except);
    if (serverId !== undefined) query.where({ server_id: serverId });
    if (outcome === 'done') query.where({ outcome });
    if (outcome === 'refused') query.whereNot({ outcome: 'done' });
    if (filter.text) this.#search(query, filter.text);
    if (from !== undefined) query.where('at', '>=', from);
    if (until !== undefined) query.where('at', '<', until);
    return query;
  }

  /** `INSTR` takes `%` and `_` as they are. */
  #search(query: Knex.QueryBuilder, text: string): void {
    query.whereRaw(NEWEST, [MAX_SEARCHED, MAX_SEARCHED]);
    const servers = this.database.knex('servers').select('id');
    for (const word of text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)) {
      query.where((any) => {
        for (const column of SEARCHED) void any.orWhereRaw('INSTR(LOWER(??), ?) > 0', [column, word]);
        void any.orWhereIn('server_id', servers.clone().whereRaw('INSTR(LOWER(name), ?) > 0', [word]));
      });
    }
  }
}

/** Numbers without a sign cannot be below zero in between. */
const NEWEST = 'id > (SELECT CASE WHEN MAX(id) > ? THEN MAX(id) - ? ELSE 0 END FROM audit_entries)';
const SEARCHED = ['actor_name', 'action', 'object', 'detail'];
const MAX_WORDS = 6;
