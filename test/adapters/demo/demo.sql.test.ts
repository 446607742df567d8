import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { openCore } from '../../../src/adapters/bootstrap/core.ts';
import { openDemo } from '../../../src/adapters/bootstrap/demo.ts';
import { DemoHosts } from '../../../src/adapters/demo/demo-hosts.ts';
import { CompareWithServer } from '../../../src/application/backups/compare-with-server.ts';
import { ListAudit } from '../../../src/application/events/list-audit.ts';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const ALL = { limit: 5_000, offset: 0 };

/** The demo as it is started, in a separate data directory. */
async function open() {
  const demo = await openDemo(readConfig({ SERVICE_DEMO: '1' }, () => ''));
  const log = new RecordingLogger();
  const core = await openCore(demo.config, log, demo);
  const startedAt = Date.now();
  const guest = await demo.seed(core);
  return {
    ...core.parts,
    listAudit: core.get(ListAudit),
    compareWithServer: core.get(CompareWithServer),
    startedAt,
    recorded: log,
    ann: guest.visitor('192.0.2.1').actor,
    close: async () => {
      await core.close();
      await demo.remove();
    },
  };
}

describe('The fleet of the demonstration', () => {
  let demo: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    demo = await open();
  });
  afterAll(() => demo.close());

  test('has servers of many kinds, with jobs that ended well and not, run, and wait for a person', async () => {
    const servers = (await demo.servers.list({}, ALL)).items;
    expect(servers).toHaveLength(60);
    expect(new Set(servers.map(({ facts }) => facts.osId)).size).toBeGreaterThan(4);
    expect(servers.some(({ facts }) => facts.contactError !== null)).toBe(true);
    expect(servers.some(({ facts }) => facts.rebootPending)).toBe(true);
    const counts = new Map<string, number>();
    for (const { status } of (await demo.jobs.list({}, ALL)).items)
      counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts.get('success')).toBeGreaterThan(100);
    expect(counts.get('failed')).toBeGreaterThan(2);
    // A worker continues the two that wait.
    expect([counts.get('awaiting_approval'), counts.get('pending')]).toEqual([3, 2]);
  });

  test('warns of nothing while it is filled', () => {
    expect(demo.recorded.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  test('numbers jobs and batches in the order of their times', async () => {
    for (const list of [await demo.jobs.list({}, ALL), await demo.batches.list({}, ALL)]) {
      const times = list.items.toSorted((one, other) => one.id - other.id).map(({ createdAt }) => createdAt);
      expect(times.length).toBeGreaterThan(60);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
    }
  });

  test('has something in every list', async () => {
    const { schedules, windows, webhooks, repositories, keys, notifications } = demo;
    const lists = { schedules, windows, webhooks, repositories, keys };
    for (const [name, store] of Object.entries(lists))
      expect([name, (await store.list()).length]).toEqual([name, expect.toSatisfy((many) => many >= 2)]);
    for (const [name, { total }] of Object.entries({
      batches: await demo.batches.list({}, ALL),
      templates: await demo.templates.list(ALL),
      deployments: await demo.deployments.list({}, ALL),
      deliveries: await demo.deliveries.list({}, ALL),
      users: await demo.users.list(ALL),
      runs: await demo.schedules.runs(1, ALL),
      audit: await demo.listAudit.execute(demo.ann, {}, ALL),
    }))
      expect([name, total]).toEqual([name, expect.toSatisfy((many) => many >= 2)]);
    expect(await notifications.mutes(demo.startedAt)).toHaveLength(1);
  });

  test('has problems that started at different times, some of them long ago', async () => {
    const { items } = await demo.notifications.list({ kind: 'job.failed' }, ALL);
    const openedAt = items.map((each) => each.openedAt ?? 0);
    expect(new Set(openedAt).size).toBeGreaterThan(3);
    expect(Math.max(...openedAt)).toBeLessThan(demo.startedAt - HOUR);
  });

  test('has alerts that are as old as their causes', async () => {
    const alerts = (await demo.notifications.list({ states: ['open', 'acknowledged'] }, ALL)).items;
    const causes = new Map<string, number | null>([
      ...(await demo.servers.list({}, ALL)).items.map(
        ({ id, facts }) => [`server.unreachable ${id}`, facts.contactFailedSince] as const,
      ),
      ...(await demo.approvals.list({}, ALL)).items.map(
        ({ jobId, createdAt }) => [`approval.requested ${jobId}`, createdAt] as const,
      ),
    ]);
    const ages = alerts.flatMap(({ kind, serverId, jobId, beganAt }) => {
      const cause = causes.get(`${kind} ${kind === 'approval.requested' ? jobId : serverId}`);
      return cause === undefined || cause === null ? [] : [Math.abs(beganAt - cause)];
    });
    expect(ages).toHaveLength(6);
    expect(Math.max(...ages)).toBeLessThan(5_000);
  });

  test('has reasons that name a package of the plan', async () => {
    const reasons: (string | null | undefined)[] = [];
    for (const { jobId, planJobId } of (await demo.approvals.list({}, ALL)).items) {
      const reason = (await demo.jobs.find(jobId ?? 0))?.reason;
      const { changes = [] } = (await demo.jobs.find(planJobId ?? 0))?.result ?? {};
      const names = (changes as readonly { readonly name: string }[]).map(({ name }) => name);
      if (reason) expect(names.filter((name) => reason.includes(name))).not.toEqual([]);
      reasons.push(reason);
    }
    expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
  });

  test('has no time in the future, except of waiting jobs', async () => {
    const jobs = (await demo.jobs.list({}, ALL)).items;
    const latest = Math.max(...jobs.map(({ finishedAt, createdAt }) => finishedAt ?? createdAt));
    expect(latest).toBeLessThanOrEqual(demo.startedAt);
    // Some deployments are older than the month of nightly jobs.
    expect(Math.min(...jobs.map(({ createdAt }) => createdAt))).toBeGreaterThan(demo.startedAt - 60 * DAY);
  });

  test('has a backup for each night of the last weeks, and snapshots that agree with them', async () => {
    const servers = (await demo.servers.list({}, ALL)).items.filter(({ features }) => features.backup);
    const jobs = (await demo.jobs.list({ jobType: 'backup' }, ALL)).items;
    for (const { id, name, facts } of servers) {
      const own = jobs.filter(({ serverId, scheduled }) => serverId === id && scheduled);
      expect([name, own.length]).toEqual([name, expect.toSatisfy((nights) => nights >= 29)]);
      const good = own.filter(({ status }) => status === 'success').map(({ createdAt }) => createdAt);
      const [newest] = (await demo.snapshots.list({ serverId: id }, ALL)).items;
      expect([name, newest?.startedAt]).toEqual([name, Math.max(...good)]);
      expect((await demo.sources.ofServer(id)).map(({ lastSuccessAt }) => lastSuccessAt)).toContain(
        newest?.startedAt,
      );
      expect([name, facts.lastBackupAt]).toEqual([name, newest?.startedAt]);
    }
  });

  test('has a verified snapshot of each server with the time of its last verification', async () => {
    const servers = (await demo.servers.list({}, ALL)).items.filter(({ features }) => features.backup);
    for (const { id, name, facts } of servers) {
      const { items } = await demo.snapshots.list({ serverId: id }, ALL);
      expect([name, items.map(({ lastVerifiedAt }) => lastVerifiedAt)]).toEqual([
        name,
        expect.arrayContaining([facts.lastVerifiedAt]),
      ]);
    }
  });

  test('has servers whose updates were last checked by a job of the last day', async () => {
    const jobs = (await demo.jobs.list({ jobType: 'os_update_check', status: 'success' }, ALL)).items;
    for (const { id, name, facts } of (await demo.servers.list({}, ALL)).items) {
      if (facts.contactError !== null) continue;
      const last = jobs.find(({ serverId }) => serverId === id);
      expect([name, facts.lastOsCheckAt]).toEqual([name, last?.finishedAt]);
      expect([name, demo.startedAt - (facts.lastOsCheckAt ?? 0)]).toEqual([
        name,
        expect.toSatisfy((age) => age < DAY + 2 * HOUR),
      ]);
    }
  });

  test('has read nothing from a server while nothing reached it', async () => {
    for (const { facts } of (await demo.servers.list({}, ALL)).items) {
      const since = facts.contactFailedSince ?? Number.POSITIVE_INFINITY;
      const read = [facts.lastOsCheckAt, facts.lastContainerCheckAt, facts.lastVerifiedAt];
      expect(read.filter((at) => (at ?? 0) > since)).toEqual([]);
    }
  });

  test('has no job that succeeded on a server while nothing reached it', async () => {
    const jobs = (await demo.jobs.list({ status: 'success' }, ALL)).items;
    for (const { id, facts } of (await demo.servers.list({}, ALL)).items) {
      const since = facts.contactFailedSince ?? Number.POSITIVE_INFINITY;
      expect(jobs.filter((job) => job.serverId === id && (job.startedAt ?? 0) > since)).toEqual([]);
    }
  });

  test('has samples without holes, and runs of schedules over weeks', async () => {
    const query = { step: 'hour', from: demo.startedAt - 29 * DAY, limit: 1_000 } as const;
    for (const { id } of (await demo.servers.list({}, ALL)).items.filter(
      ({ facts }) => facts.contactError === null,
    ))
      expect((await demo.inventories.samples(id, query)).length).toBeGreaterThan(650);
    expect((await demo.schedules.runs(1, ALL)).total).toBeGreaterThanOrEqual(29);
  });

  test('has no host behind it', async () => {
    const hosts = new DemoHosts(demo.servers);
    const host = await hosts.connect({ serverId: 1 });
    await expectRefusal(host.run({ script: 'true' }), 'demo_read_only');
    await hosts.closeAll();
  });

  test('compares snapshots with reachable servers only, and changes none by it', async () => {
    const before = (await demo.servers.list({}, ALL)).items;
    for (const { id, facts } of before) {
      const [latest] = (await demo.snapshots.list({ serverId: id }, ALL)).items;
      if (!latest) continue;
      const look = demo.compareWithServer.look(demo.ann, latest.id, '', new AbortController().signal);
      if (facts.contactFailedSince === null) expect((await look).kind).toBe('dir');
      else await expectRefusal(look, 'host_unreachable');
    }
    expect((await demo.servers.list({}, ALL)).items).toEqual(before);
  });
});
