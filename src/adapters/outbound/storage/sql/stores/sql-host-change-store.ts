import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Knex } from 'knex';
import { z } from 'zod';
import type {
  FileFindings,
  HostChangeFilter,
  HostChangeStore,
} from '../../../../../application/ports/fleet/host-change-store.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  type ChangeKind,
  compareStates,
  type HostChange,
  type HostState,
  STATE_KINDS,
} from '../../../../../domain/fleet/host-state.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { columns, fromJson, hostWritten, int, named, oneOf, orNull, type Row } from '../tables/columns.ts';

const CHANGES = columns({
  id: int,
  serverId: int,
  kind: oneOf<ChangeKind>(),
  name: hostWritten,
  before: named('value_before', orNull(hostWritten)),
  after: named('value_after', orNull(hostWritten)),
  since: int,
  at: int,
  snapshotId: orNull(int),
});

type HostChangeRow = Row<typeof CHANGES> & { readonly server_name: string };
const HOST_CHANGE_COLUMNS = CHANGES.names;
const toHostChange = (row: HostChangeRow): HostChange => ({
  ...CHANGES.read(row),
  serverName: row.server_name,
});
const hostChangeColumns = (change: Omit<HostChange, 'id' | 'serverName'>): object => CHANGES.write(change);

const pack = promisify(gzip);
const unpack = promisify(gunzip);

const Facts = z
  .array(z.tuple([z.string(), z.string()]))
  .transform((facts) => new Map(facts))
  .nullable();
/** A kind that a later version adds is unknown here, one that an earlier version does not know was not read. */
const Stored = z.partialRecord(z.enum(STATE_KINDS), Facts);

async function packState(state: HostState): Promise<string> {
  const facts = Object.entries(state).map(([kind, found]) => [kind, found && [...found]]);
  return (await pack(JSON.stringify(Object.fromEntries(facts)))).toString('base64');
}

async function unpackState(packed: string): Promise<HostState> {
  const json = await unpack(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_STATE_BYTES });
  const stored = fromJson(Stored, json.toString('utf8'));
  return Object.fromEntries(STATE_KINDS.map((kind) => [kind, stored[kind] ?? null])) as unknown as HostState;
}

/** More than all facts together can have. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Rows a statement. */
const BATCH = 200;

async function insertAll(trx: Knex, rows: readonly object[]): Promise<void> {
  for (const each of batches(rows, BATCH)) await trx('host_changes').insert(each);
}

export class SqlHostChangeStore extends SqlStore implements HostChangeStore {
  async record(serverId: number, found: HostState, at: Instant): Promise<number> {
    const former = await this.#former(this.database.knex, serverId);
    if (former !== undefined && former.at >= at) return 0;
    // Outside the transaction, which others wait for.
    const { differences, state } =
      former === undefined
        ? { differences: [], state: found }
        : compareStates(await unpackState(former.state), found);
    const row = { server_id: serverId, at, state: await packState(state) };
    return this.database.transaction(async (trx) => {
      // The server's row first: two readings of one server meet here.
      const server = await trx('servers').where({ id: serverId }).forUpdate().first('removed_at');
      const now = await this.#former(trx, serverId);
      // Removed, or another replica has stored a reading in the meantime.
      if (server?.removed_at !== null || now?.at !== former?.at) return 0;
      await trx('host_states').insert(row).onConflict('server_id').merge();
      const rows = differences.map((each) =>
        hostChangeColumns({ ...each, serverId, since: former?.at ?? at, at, snapshotId: null }),
      );
      await insertAll(trx, rows);
      return rows.length;
    });
  }

  async recordFiles({ differences, ...found }: FileFindings): Promise<void> {
    const { serverId, snapshotId } = found;
    await this.database.transaction(async (trx) => {
      // Two records of one snapshot meet here.
      const server = await trx('servers').where({ id: serverId }).forUpdate().first('removed_at');
      if (server?.removed_at !== null) return;
      const stored = await trx('host_changes')
        .where({ server_id: serverId, snapshot_id: snapshotId })
        .first('id');
      if (stored) return;
      await insertAll(
        trx,
        differences.map((each) => hostChangeColumns({ ...each, ...found })),
      );
    });
  }

  async #former(knex: Knex, serverId: number): Promise<{ at: Instant; state: string } | undefined> {
    return knex('host_states').where({ server_id: serverId }).first('at', 'state');
  }

  async list(filter: HostChangeFilter, page: PageRequest): Promise<Page<HostChange>> {
    const query = this.database
      .knex('host_changes')
      .join('servers', 'servers.id', 'host_changes.server_id')
      .whereNull('servers.removed_at');
    if (filter.serverIds) query.whereIn('host_changes.server_id', filter.serverIds);
    if (filter.since !== undefined) query.where('host_changes.at', '>=', filter.since);
    if (filter.before !== undefined) query.where('host_changes.at', '<', filter.before);
    if (filter.kind !== undefined) query.where('host_changes.kind', filter.kind);
    if (filter.q) query.whereRaw('INSTR(LOWER(host_changes.name), ?) > 0', [filter.q.toLowerCase()]);
    return pageOf(query, page, async (window) => {
      const rows: HostChangeRow[] = await window
        .orderBy([{ column: 'host_changes.at', order: 'desc' }, 'host_changes.id'])
        .select(HOST_CHANGE_COLUMNS.map((column) => `host_changes.${column}`))
        .select({ server_name: 'servers.name' });
      return rows.map(toHostChange);
    });
  }

  async forget(before: Instant, limit: number): Promise<boolean> {
    const rows: { id: number }[] = await this.database
      .knex('host_changes')
      .where('at', '<', before)
      .orderBy('at')
      .limit(limit)
      .select('id');
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await this.database.write((knex) => knex('host_changes').whereIn('id', ids).delete());
    return ids.length === limit;
  }
}
