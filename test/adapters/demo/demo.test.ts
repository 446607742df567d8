import { beforeAll, describe, expect, test } from 'vitest';
import { DemoEngines, DemoHosts, onlyShown } from '../../../src/adapters/demo/demo-hosts.ts';
import { seedDemo } from '../../../src/adapters/demo/seed-demo.ts';
import { HOUR } from '../../../src/domain/instant.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { inMemoryStores } from '../../support/in-memory-stores.ts';
import { AT, type StoresSubject } from '../../support/stores-subject.ts';

const ALL = { limit: 1_000, offset: 0 };

async function seeded(now: number): Promise<StoresSubject> {
  const stores = await inMemoryStores();
  await seedDemo(stores, now);
  return stores;
}

describe('The fleet of the demonstration', () => {
  let stores: StoresSubject;
  beforeAll(async () => {
    stores = await seeded(AT);
  });

  test('has servers of many kinds, with jobs that ended well and not, run, and wait for a person', async () => {
    const servers = (await stores.servers.list({}, ALL)).items;
    expect(servers).toHaveLength(60);
    expect(new Set(servers.map(({ facts }) => facts.osId)).size).toBeGreaterThan(4);
    expect(servers.some(({ facts }) => facts.contactError !== null)).toBe(true);
    expect(servers.some(({ facts }) => facts.rebootPending)).toBe(true);
    const counts = new Map<string, number>();
    for (const { status } of (await stores.jobs.list({}, ALL)).items) {
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    expect(counts.get('success')).toBeGreaterThan(100);
    expect(counts.get('failed')).toBeGreaterThan(2);
    expect([counts.get('running'), counts.get('awaiting_approval'), counts.get('pending')]).toEqual([
      2,
      3,
      undefined,
    ]);
    expect((await stores.snapshots.list({ serverId: 1 }, ALL)).total).toBeGreaterThan(3);
  });

  test('is the same at each start, but for the time', async () => {
    const later = await seeded(AT + 5 * HOUR);
    const look = async ({ servers, jobs }: StoresSubject, now: number) => [
      (await servers.list({}, ALL)).items.map(({ name, facts }) => [
        name,
        facts.osUpdatesCount,
        facts.diskUsedBytes,
        (facts.lastSeenAt ?? 0) - now,
      ]),
      (await jobs.list({}, ALL)).items.map((job) => [job.id, job.summary, job.createdAt - now]),
    ];
    expect(await look(later, AT + 5 * HOUR)).toEqual(await look(stores, AT));
  });

  test('has no time that is yet to come, but for what waits', async () => {
    const jobs = (await stores.jobs.list({}, ALL)).items;
    expect(Math.max(...jobs.map(({ finishedAt, createdAt }) => finishedAt ?? createdAt))).toBeLessThanOrEqual(
      AT,
    );
  });

  test('has no host behind it, and nothing in its snapshots', async () => {
    expect(() => new DemoEngines().of()).toThrow(onlyShown());
    await expectRefusal(new DemoHosts().connect(), 'demo_read_only');
    await expectRefusal(new DemoHosts().scanHostKey(), 'demo_read_only');
    await new DemoHosts().closeAll();
  });
});
