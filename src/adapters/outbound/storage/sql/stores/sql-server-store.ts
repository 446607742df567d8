import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  FleetTotals,
  ServerFilter,
  ServerStore,
} from '../../../../../application/ports/fleet/server-store.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  countTags,
  type NewServer,
  type Server,
  type ServerFacts,
} from '../../../../../domain/fleet/server.ts';
import type { ServerOrder, TagCount } from '../../../../../domain/fleet/server-list.ts';
import { type JobStatus, serverHasActiveJob } from '../../../../../domain/jobs/job.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { SqlStore } from '../database.ts';
import { pageOf, pageOfFound } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { fromJson, Strings } from '../tables/columns.ts';
import { factsColumns } from '../tables/server-facts-row.ts';
import {
  SERVER_SELECTION,
  type ServerRow,
  serverColumns,
  toServer,
  withServerColumns,
} from '../tables/server-row.ts';
import { fleetTotals } from './fleet-totals.ts';
import { recordChange } from './record-change.ts';
import { BY_NAME, isNarrowed, narrowed, orderSql } from './server-filter.ts';

export class SqlServerStore extends SqlStore implements ServerStore {
  async add(server: NewServer, at: Instant, record: (server: Server) => ChangeRecord): Promise<Server> {
    return this.database.transaction(async (trx) => {
      const row = { ...serverColumns(server), created_at: at, updated_at: at };
      const [id] = await trx('servers').insert(row).catch(refuseTaken(server.name));
      const added = await existing(trx, Number(id));
      await recordChange(trx, record(added));
      return added;
    });
  }

  async find(id: number): Promise<Server | null> {
    return this.database.unchanged(
      `server ${id}`,
      async () => one(await this.database.rows<ServerRow>(FIND, [id])),
      () => 1,
    );
  }

  async findByName(name: string): Promise<Server | null> {
    return one(await withServerColumns(present(this.database.knex).where({ name_key: name })));
  }

  async list(filter: ServerFilter, page: PageRequest, order: ServerOrder = BY_NAME): Promise<Page<Server>> {
    // A time in the key is different in every call.
    if (filter.needs || filter.supportEnds || filter.statusAt) return this.#list(filter, page, order);
    return this.database.unchanged(
      `servers ${JSON.stringify([filter, page, order])}`,
      () => this.#list(filter, page, order),
      ({ items }) => items.length,
    );
  }

  async #list(filter: ServerFilter, page: PageRequest, order: ServerOrder): Promise<Page<Server>> {
    const isOnMySql = this.database.kind === 'mysql';
    // InnoDB would go through all servers twice, and by an index whose order is not theirs.
    if (isOnMySql && isNarrowed(filter)) {
      const ids = narrowed(notRemoved(this.database.knex), filter)
        .select('id')
        .orderByRaw(orderSql(order, filter));
      return pageOfFound(ids, page, (found) => this.#inOrder(found));
    }
    return pageOf(this.#matching(filter), page, async (window) => {
      if (order.by === 'name' && !isOnMySql) {
        const query = withServerColumns(window).orderByRaw(orderSql(order, filter));
        return (await this.database.rowsOf<ServerRow>(query)).map(toServer);
      }
      // The ids first: SQLite would count the alerts of every sorted server, not only of those on the page, and
      // MariaDB would sort whole rows although the index of the names has the ids in order.
      const ids = await this.database.rowsOf<{ id: number }>(
        window.select('id').orderByRaw(orderSql(order, filter)),
      );
      return this.#inOrder(ids.map(({ id }) => id));
    });
  }

  async #inOrder(ids: readonly number[]): Promise<readonly Server[]> {
    if (ids.length === 0) return [];
    const rows = withServerColumns(present(this.database.knex).whereIn('id', ids));
    const found = new Map((await this.database.rowsOf<ServerRow>(rows)).map((row) => [row.id, row]));
    return ids.flatMap((id) => found.get(id) ?? []).map(toServer);
  }

  async tags(filter: Pick<ServerFilter, 'ids'>, limit: number): Promise<readonly TagCount[]> {
    // Similar servers have the same tags: there are far fewer rows than servers.
    const query = this.#matching(filter)
      .whereNot({ tags: '[]' })
      .groupBy('tags')
      .select('tags')
      .count({ servers: '*' });
    const rows = await this.database.rowsOf<{ tags: string; servers: number }>(query);
    return countTags(rows.map(({ tags, servers }) => ({ tags: fromJson(Strings, tags), servers }))).slice(
      0,
      limit,
    );
  }

  async change(...[id, change, at, record]: Parameters<ServerStore['change']>): Promise<Server> {
    return this.#update(id, at, record, (before) => {
      const { address, ...rest } = change;
      return { ...before, ...rest, address: { ...before.address, ...address } };
    });
  }

  async setFeatures(...[id, flags, at, record]: Parameters<ServerStore['setFeatures']>): Promise<Server> {
    return this.#update(id, at, record, (before) => ({
      ...before,
      features: { ...before.features, ...flags },
    }));
  }

  async learn(id: number, facts: Partial<ServerFacts>): Promise<void> {
    const columns = factsColumns(facts);
    if (Object.keys(columns).length === 0) return;
    await this.database.write((knex) => present(knex).where({ id }).update(columns));
  }

  async remove(id: number, at: Instant, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      // As an enqueue does: one of both comes second and sees the other's change.
      const found = await present(trx).where({ id }).increment('lane_version', 1);
      if (found === 0) throw serverNotFound(id);
      await refuseWhileActive(trx, id);
      await trx('servers').where({ id }).update({ name_key: null, removed_at: at, updated_at: at });
      await trx('services').where({ server_id: id }).delete();
      await trx('server_packages').where({ server_id: id }).delete();
      await trx('server_fixes').where({ server_id: id }).delete();
      await recordChange(trx, record);
    });
  }

  async inventoryDue(before: Instant, limit: number): Promise<readonly Server[]> {
    const rows: ServerRow[] = await withServerColumns(present(this.database.knex))
      .where((due) => void due.whereNull('inventory_at').orWhere('inventory_at', '<', before))
      // Those without one first, on either database.
      .orderByRaw('COALESCE(inventory_at, -1), id')
      .limit(limit);
    return rows.map(toServer);
  }

  async setSupportEnds(
    endOf: (system: Pick<ServerFacts, 'osId' | 'osVersion'>) => Instant | null,
  ): Promise<number> {
    return this.database.transaction(async (trx) => {
      const systems: { os_id: string; os_version: string }[] = await trx('servers')
        .whereNotNull('name_key')
        .whereNotNull('os_version')
        .distinct('os_id', 'os_version');
      let changed = 0;
      // As many statements as there are releases, however many servers run them.
      for (const { os_id, os_version } of systems) {
        const support_ends_at = endOf({ osId: os_id, osVersion: os_version });
        changed += await trx('servers')
          .whereNotNull('name_key')
          .where({ os_id, os_version })
          .whereRaw('COALESCE(support_ends_at, -1) <> ?', [support_ends_at ?? -1])
          .update({ support_ends_at });
      }
      return changed;
    });
  }

  async totals(filter: ServerFilter, staleBefore: Instant): Promise<FleetTotals> {
    return fleetTotals(narrowed(notRemoved(this.database.knex), filter), staleBefore);
  }

  #matching(filter: ServerFilter): Knex.QueryBuilder {
    return narrowed(present(this.database.knex), filter);
  }

  async #update(
    id: number,
    at: Instant,
    record: (server: Server) => ChangeRecord,
    change: (before: Server) => Server,
  ): Promise<Server> {
    return this.database.transaction(async (trx) => {
      const before = one(await withServerColumns(present(trx).where({ id })).forUpdate());
      if (!before) throw serverNotFound(id);
      const after = change(before);
      const columns = { ...serverColumns(after), updated_at: at };
      await trx('servers').where({ id }).update(columns).catch(refuseTaken(after.name));
      const changed = await existing(trx, id);
      await recordChange(trx, record(changed));
      return changed;
    });
  }
}

/** Hand-written, since it is the most frequent query, and knex takes longer to build it than SQLite to run it. */
const FIND = `SELECT ${SERVER_SELECTION} FROM servers WHERE name_key IS NOT NULL AND id = ?`;

/** A removed server has no name key. The key's index counts and orders the others without reading their rows. */
const present = (knex: Knex): Knex.QueryBuilder => knex('servers').whereNotNull('name_key');

/**
 * The same servers, if their rows are read anyway: no index supports it, and MariaDB would use that of the names, row
 * by row.
 */
const notRemoved = (knex: Knex): Knex.QueryBuilder => knex('servers').whereNull('removed_at');

const one = ([row]: readonly ServerRow[]): Server | null => (row ? toServer(row) : null);

async function existing(trx: Knex, id: number): Promise<Server> {
  const server = one(await withServerColumns(present(trx).where({ id })));
  if (!server) throw serverNotFound(id);
  return server;
}

const refuseTaken =
  (name: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error, 'servers', ['name_key'])) throw error;
    throw new DomainError('name_taken', `A server named "${name}" already exists; choose a different name.`);
  };

/** Throws `job_already_active` if the server has a waiting or running job. The caller has locked the server's row. */
async function refuseWhileActive(trx: Knex, serverId: number): Promise<void> {
  const active = await trx('jobs')
    .where({ server_id: serverId })
    .whereNotNull('lane_key')
    .first<{ id: number; job_type: JobType; status: JobStatus; server_name: string }>([
      'id',
      'job_type',
      'status',
      'server_name',
    ]);
  if (!active) return;
  throw serverHasActiveJob({
    id: active.id,
    jobType: active.job_type,
    status: active.status,
    serverName: active.server_name,
  });
}
