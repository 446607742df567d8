import { z } from 'zod';
import type { AuditLog } from '../../application/ports/audit-log.ts';
import type { AuditEntry } from '../../domain/audit-entry.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Database } from './database.ts';
import { pageOf } from './page.ts';
import { fromJson } from './rows/json.ts';
import { writeTrail } from './trail.ts';

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly actor_kind: AuditEntry['actorKind'];
  readonly actor_id: number | null;
  readonly actor_name: string;
  readonly address: string | null;
  readonly action: string;
  readonly object: string;
  readonly outcome: string;
  readonly detail: string;
}

const COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'address',
  'action',
  'object',
  'outcome',
  'detail',
] as const satisfies readonly (keyof AuditRow)[];

const Detail = z.record(z.string(), z.unknown());

const toEntry = (row: AuditRow): AuditEntry & { id: number } => ({
  id: row.id,
  at: row.at,
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  actorName: row.actor_name,
  address: row.address,
  action: row.action,
  object: row.object,
  outcome: row.outcome,
  detail: fromJson(Detail, row.detail),
});

export class SqlAuditLog implements AuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async record(entry: AuditEntry): Promise<void> {
    await writeTrail(this.#database.knex, { audit: [entry] });
  }

  async list(
    filter: { object?: string; actorKind?: string; actorId?: number },
    page: PageRequest,
  ): Promise<Page<AuditEntry & { id: number }>> {
    const filtered = this.#database.knex('audit_entries');
    if (filter.object !== undefined) filtered.where({ object: filter.object });
    if (filter.actorKind !== undefined) filtered.where({ actor_kind: filter.actorKind });
    if (filter.actorId !== undefined) filtered.where({ actor_id: filter.actorId });
    return pageOf(filtered, page, async (window) => {
      const rows: AuditRow[] = await window.select(COLUMNS).orderBy('id', 'desc');
      return rows.map(toEntry);
    });
  }
}
