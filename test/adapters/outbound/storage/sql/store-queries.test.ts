import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { auditEntry } from '../../../../../src/domain/events/audit-entry.ts';
import { newSubscription } from '../../../../contracts/push-store.contract.ts';
import { newWebhook, sealsOf } from '../../../../contracts/webhook-store.contract.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { containerOf, inventoryOf } from '../../../../support/inventories.ts';
import { newBatch, newMember, newSchedule } from '../../../../support/schedules.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import {
  AT,
  newServer,
  newSnapshot,
  newSource,
  noRecord,
  type StoresSubject,
} from '../../../../support/stores-subject.ts';

const PAGE = { limit: 100, offset: 0 };

/** This many of everything, on the first server if it belongs to one. */
async function fill(stores: StoresSubject, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { id } = await stores.servers.add(newServer(`s-${index}`, { tags: ['a', 'b'] }), AT, noRecord);
    await stores.inventories.save(
      id,
      inventoryOf({ containers: [containerOf(), containerOf({ name: 's' })] }),
    );
    const source = await stores.sources.add(newSource(1, `source-${index}`), noRecord);
    await stores.snapshots.add(newSnapshot({ ...source, id: 1 }, `snapshot-${index}`));
    await stores.audit.record(auditEntry(Actor.system('test'), AT, 'x', `server:${id}`));
    await stores.replicas.beat({ owner: `r-${index}`, version: '1', startedAt: AT, keyIds: null });
    const { id: hook } = await stores.webhooks.add(newWebhook(`hook-${index}`), sealsOf, noRecord);
    await stores.subscriptions.put(newSubscription(`hash-${index}`), () => 'sealed', noRecord);
    const event = { uid: `uid-${index}`, type: 'ping', severity: 'info', title: 't', message: 'm' } as const;
    const about = { at: AT, serverId: null, jobId: null };
    await stores.deliveries.send({ ...event, ...about }, '{}', { channel: 'webhook', id: hook }, {});
    const schedule = await stores.schedules.add(newSchedule(`schedule-${index}`), AT, noRecord);
    await stores.schedules.begin(schedule.id, AT);
    const members = Array.from({ length: index + 1 }, (_, n) => newMember(n + 1));
    await stores.batches.create(newBatch(), members, noRecord);
  }
}

describe('a list takes as many queries for thirty as for three', () => {
  let filled: readonly { database: Database; stores: StoresSubject; drop: () => Promise<void> }[];
  beforeAll(async () => {
    filled = await Promise.all(
      [3, 30].map(async (count) => {
        const { database, drop } = await sqliteDatabase();
        const stores = sqlStores(database);
        await fill(stores, count);
        return { database, stores, drop };
      }),
    );
  });
  afterAll(async () => {
    for (const { drop } of filled) await drop();
  });

  it.each<[string, number, (stores: StoresSubject) => Promise<unknown>]>([
    ['servers', 2, ({ servers }) => servers.list({ q: 's', ids: [1, 2, 3, 4] }, PAGE)],
    ['totals of servers', 1, ({ servers }) => servers.totals({}, AT)],
    ['servers whose inventory is due', 1, ({ servers }) => servers.inventoryDue(AT, 100)],
    ['inventories', 1, ({ inventories }) => inventories.findMany([1, 2, 3])],
    ['services', 2, ({ services }) => services.list({ q: 's', serverIds: [1, 2, 3, 4] }, PAGE)],
    ['sources', 1, ({ sources }) => sources.ofServer(1)],
    ['snapshots of a server', 2, ({ snapshots }) => snapshots.list({ serverId: 1 }, PAGE)],
    ['snapshots of a source', 1, ({ snapshots }) => snapshots.ofSource(1)],
    ['tokens', 2, ({ tokens }) => tokens.list(PAGE)],
    ['the audit log', 2, ({ audit }) => audit.list({}, PAGE)],
    ['replicas', 2, ({ replicas }) => replicas.list()],
    ['servers that a selector means', 1, ({ selection }) => selection.select({ by: 'all' }, null, 100)],
    ['schedules', 1, ({ schedules }) => schedules.list()],
    ['the latest runs of schedules', 1, ({ schedules }) => schedules.latestRuns([1, 2, 3], 2)],
    ['maintenance windows', 1, ({ windows }) => windows.list()],
    ['batches', 2, ({ batches }) => batches.list({}, PAGE)],
    ['batches that run', 2, ({ batches }) => batches.running(0, 100)],
    ['members of a batch', 2, ({ batches }) => batches.members(1, {}, PAGE)],
    ['notifications', 2, ({ notifications }) => notifications.list({ serverIds: [1, 2, 3] }, PAGE)],
    ['open notifications, counted', 1, ({ notifications }) => notifications.countOpen([1, 2, 3])],
    ['mutes', 1, ({ notifications }) => notifications.mutes(AT)],
    ['webhooks', 1, ({ webhooks }) => webhooks.list()],
    ['push subscriptions', 1, ({ subscriptions }) => subscriptions.list()],
    ['events that wait', 1, ({ deliveries }) => deliveries.waiting(100)],
    ['targets with something due', 1, ({ deliveries }) => deliveries.dueTargets('webhook', AT)],
    [
      'what is due to a target',
      1,
      ({ deliveries }) => deliveries.due({ channel: 'webhook', id: 1 }, AT, 100),
    ],
    ['deliveries', 2, ({ deliveries }) => deliveries.list({ channel: 'webhook' }, PAGE)],
    ['members of a batch that wait', 1, ({ batches }) => batches.waiting(1, 100)],
  ])('%s: %i', async (_, expected, list) => {
    for (const { database, stores } of filled) {
      const queries: string[] = [];
      const note = ({ sql }: { sql: string }): unknown => queries.push(sql);
      database.knex.on('query', note);
      await list(stores);
      database.knex.off('query', note);
      expect(queries).toHaveLength(expected);
      for (const sql of queries) expect(sql).not.toContain('select *');
    }
  });
});
