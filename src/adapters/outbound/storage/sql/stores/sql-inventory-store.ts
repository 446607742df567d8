import type { Knex } from 'knex';
import { z } from 'zod';
import type { InventoryStore, SampleQuery } from '../../../../../application/ports/fleet/inventory-store.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Activity } from '../../../../../domain/fleet/activity.ts';
import type { FleetDay } from '../../../../../domain/fleet/day-strip.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import {
  type DiskSample,
  type Sample,
  type SampledDisk,
  STEPS,
  sampleOf,
  stepAt,
} from '../../../../../domain/fleet/sample.ts';
import type { SampleStep } from '../../../../../domain/fleet/sample-steps.ts';
import type { ServerFacts } from '../../../../../domain/fleet/server.ts';
import { identityOf, servicesOf } from '../../../../../domain/fleet/service.ts';
import { SqlStore } from '../database.ts';
import { type Column, columns, fromJson, hostText, int, named, orNull, type Row } from '../tables/columns.ts';
import { StoredActivity, StoredInventory } from '../tables/inventory-row.ts';
import { factsColumns } from '../tables/server-facts-row.ts';
import { SERVICE_COLUMNS, type ServiceRow, serviceColumns, toFoundService } from '../tables/service-row.ts';

const Disks = z.array(z.tuple([z.string(), z.number(), z.number()]));

/** Each as a list, since a row says it for every hour. */
const disks: Column<readonly SampledDisk[], string> = {
  read: (raw) =>
    fromJson(Disks, hostText(raw)).map(([mount, usedBytes, totalBytes]) => ({
      mount,
      usedBytes,
      totalBytes,
    })),
  write: (value) =>
    JSON.stringify(value.map(({ mount, usedBytes, totalBytes }) => [mount, usedBytes, totalBytes])),
};

const activity: Column<Activity, string> = {
  read: (raw) => fromJson(StoredActivity, hostText(raw)),
  write: (value) => JSON.stringify(value),
};

const SAMPLE = columns({
  at: int,
  load: named('cpu_load', int),
  memoryTotalBytes: int,
  memoryUsedBytes: int,
  disks,
  updates: named('os_updates', orNull(int)),
  securityUpdates: orNull(int),
  containers: orNull(int),
  activity: orNull(activity),
});

const DISK_SAMPLE = columns({ at: int, disks });

type SampleRow = Row<typeof SAMPLE>;
const SAMPLE_COLUMNS = SAMPLE.names;
const toSample = (row: SampleRow): Sample => SAMPLE.read(row);
const sampleColumns = (sample: Sample): object => SAMPLE.write(sample);

export class SqlInventoryStore extends SqlStore implements InventoryStore {
  async save(serverId: number, inventory: Inventory, facts: Partial<ServerFacts> = {}): Promise<void> {
    const learnt = factsColumns(facts);
    const row = { server_id: serverId, at: inventory.at, inventory: JSON.stringify(inventory) };
    await this.database.transaction(async (trx) => {
      // The server's row first: two saves for one server meet here, and so do a save and the server's removal.
      const isThere = await takeServer(trx, serverId, learnt);
      // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
      await trx('server_inventories').insert(row).onConflict('server_id').merge();
      if (!isThere) return;
      await saveSamples(trx, serverId, [sampleOf(inventory, facts)]);
      await saveServices(trx, serverId, inventory);
    });
  }

  async find(serverId: number): Promise<Inventory | null> {
    const found = await this.findMany([serverId]);
    return found.get(serverId) ?? null;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    const { knex } = this.database;
    const rows = await this.database.rowsOf<{ server_id: number; inventory: string }>(
      knex('server_inventories').whereIn('server_id', serverIds).select('server_id', 'inventory'),
    );
    return new Map(rows.map((row) => [row.server_id, fromJson(StoredInventory, hostText(row.inventory))]));
  }

  async mentioning(text: string): Promise<readonly number[]> {
    // As JSON writes it.
    const written = JSON.stringify(text.toLowerCase()).slice(1, -1);
    const query = this.database
      .knex('server_inventories')
      .whereRaw('INSTR(LOWER(inventory), ?) > 0', [written])
      .orderBy('server_id')
      .limit(MAX_MENTIONING)
      .select('server_id');
    const rows = await this.database.rowsOf<{ server_id: number }>(query);
    return rows.map(({ server_id: id }) => id);
  }

  async addSamples(serverId: number, samples: readonly Sample[]): Promise<void> {
    await this.database.transaction((trx) => saveSamples(trx, serverId, samples));
  }

  async samples(serverId: number, { step, from, limit }: SampleQuery): Promise<readonly Sample[]> {
    const query = this.database
      .knex('server_samples')
      .where({ server_id: serverId, step })
      .where('step_at', '>=', stepAt(step, from))
      .orderBy('step_at', 'desc')
      .limit(limit)
      .select(SAMPLE_COLUMNS);
    return (await this.database.rowsOf<SampleRow>(query)).map(toSample).toReversed();
  }

  async diskDays(serverId: number, from: Instant): Promise<readonly DiskSample[]> {
    const query = this.database
      .knex('server_samples')
      .where({ server_id: serverId, step: 'day' })
      .where('step_at', '>=', stepAt('day', from))
      .orderBy('step_at')
      .select(DISK_SAMPLE.names);
    return (await this.database.rowsOf<Row<typeof DISK_SAMPLE>>(query)).map((row) => DISK_SAMPLE.read(row));
  }

  async fleetDays(from: Instant, until: Instant): Promise<readonly FleetDay[]> {
    const { knex } = this.database;
    const step: SampleStep = 'day';
    const query = knex('server_samples')
      .where({ step })
      .where('step_at', '>=', from)
      .where('step_at', '<', until)
      .groupBy('step_at')
      .orderBy('step_at')
      .select({ day: 'step_at' })
      .count({ servers: '*' })
      .select({ withSecurityUpdates: knex.raw('SUM(CASE WHEN security_updates > 0 THEN 1 ELSE 0 END)') });
    const rows = await this.database.rowsOf<Record<keyof FleetDay, number | string>>(query);
    return rows.map((row) => ({
      day: Number(row.day),
      servers: Number(row.servers),
      withSecurityUpdates: Number(row.withSecurityUpdates),
    }));
  }

  async forgetSamples(step: SampleStep, before: Instant, limit: number): Promise<boolean> {
    const old = await this.database
      .knex('server_samples')
      .where({ step })
      .where('step_at', '<', before)
      .orderBy('step_at')
      .limit(limit)
      .select<{ server_id: number; step_at: number }[]>('server_id', 'step_at');
    if (old.length === 0) return false;
    const keys = old.map((row) => [row.server_id, step, row.step_at]);
    await this.database.write((knex) =>
      knex('server_samples').whereIn(['server_id', 'step', 'step_at'], keys).delete(),
    );
    return old.length === limit;
  }
}

/** One statement for both steps of a sample. Within a step the latest stays. */
async function saveSamples(knex: Knex, serverId: number, samples: readonly Sample[]): Promise<void> {
  const rows = new Map<string, object>();
  for (const sample of samples) {
    for (const step of STEPS) {
      const step_at = stepAt(step, sample.at);
      rows.set(`${step} ${step_at}`, { server_id: serverId, step, step_at, ...sampleColumns(sample) });
    }
  }
  for (const each of batches([...rows.values()], BATCH))
    await knex('server_samples').insert(each).onConflict(['server_id', 'step', 'step_at']).merge();
}

/** Most that a search goes through. */
const MAX_MENTIONING = 10_000;

/** Locks the server's row, and writes the new facts; false if the server was removed or never existed. */
async function takeServer(trx: Knex, id: number, learnt: object): Promise<boolean> {
  if (Object.keys(learnt).length === 0) {
    const server = await trx('servers').where({ id }).forUpdate().first('removed_at');
    return server?.removed_at === null;
  }
  return (await trx('servers').where({ id }).whereNull('removed_at').update(learnt)) > 0;
}

/** Rows a statement; SQLite takes 32,766 values in one, and a row has ten. */
const BATCH = 200;

/**
 * Updates a server's services from its inventory. Existing ones keep their rows and so their ids. The caller holds
 * the server's row, so that this runs once at a time.
 */
async function saveServices(trx: Knex, serverId: number, inventory: Inventory): Promise<void> {
  const before: ServiceRow[] = await trx('services').where({ server_id: serverId }).select(SERVICE_COLUMNS);
  const gone = new Map(before.map((row) => [identityOf(row), row.id]));
  const added: object[] = [];
  const kept: object[] = [];
  for (const service of servicesOf(inventory, before.map(toFoundService))) {
    const identity = identityOf(service);
    const id = gone.get(identity);
    const row = { server_id: serverId, ...serviceColumns(service) };
    if (id === undefined) added.push(row);
    else kept.push({ id, ...row });
    gone.delete(identity);
  }
  for (const ids of batches([...gone.values()], BATCH)) await trx('services').whereIn('id', ids).delete();
  // Their ids are among the values, so that the conflict is with the same row whichever key a database checks.
  for (const rows of batches(kept, BATCH)) await trx('services').insert(rows).onConflict('id').merge();
  for (const rows of batches(added, BATCH)) await trx('services').insert(rows);
}
