import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch, BatchMember, NewBatchMember } from '../../src/domain/automation/batch.ts';
import { NO_MEMBERS } from '../../src/domain/automation/batch.ts';
import type { TerminalStatus } from '../../src/domain/jobs/job.ts';
import type { BatchMemberOrigin } from '../../src/domain/jobs/job-origin.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { newJob } from '../support/job-subject.ts';
import { newBatch, newMember, newSchedule } from '../support/schedules.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const ALL = { limit: 100, offset: 0 };
const FAILURE = { code: 'disk_full', detail: 'The disk of the host is full.' } as const;

const originOf = ({ id, version }: Batch, serverId: number): BatchMemberOrigin => ({
  kind: 'batch_member',
  batchId: id,
  version,
  serverId,
  scheduled: false,
});

/** What every `BatchStore` does. */
export function batchStoreContract(name: string, makeStores: MakeStores): void {
  describe(`BatchStore: ${name}`, () => {
    let stores: StoresSubject;
    let servers: number[];
    beforeEach(async () => {
      stores = await makeStores();
      servers = [];
      for (const each of ['a', 'b', 'c', 'd', 'e']) servers.push(await addServer(stores, each));
    });

    describe('what it keeps', () => {
      keeping(
        () => stores,
        () => servers,
      );
    });
    describe('steps', () => {
      stepping(
        () => stores,
        () => servers,
      );
    });
  });
}

function keeping(stores: () => StoresSubject, servers: () => number[]): void {
  it('keeps everything that was said, and the hosts in the order of their turns', async () => {
    const { batches } = stores();
    const [a = 0, b = 0, c = 0] = servers();
    const members = [
      newMember(c, { notBefore: AT + 5 }),
      newMember(a),
      newMember(b, { code: 'feature_disabled', detail: 'It is off.' }),
    ];
    const batch = await batches.create(newBatch(), members, trailOf('batch.request', 'batch'));
    expect(batch).toEqual({
      ...newBatch(),
      id: batch.id,
      status: 'running',
      version: 0,
      counts: { ...NO_MEMBERS, waiting: 2, skipped: 1 },
      approvedBy: null,
      finishedAt: null,
      cancelRequestedAt: null,
      stopReason: null,
    });
    expect(await batches.find(batch.id)).toEqual(batch);
    expect(await batches.find(999_999)).toBeNull();
    expect((await batches.members(batch.id, {}, ALL)).items).toEqual([
      { ...members[0], status: 'waiting', jobId: null },
      { ...members[1], status: 'waiting', jobId: null },
      { ...members[2], status: 'skipped', jobId: null },
    ]);
    expect((await stores().record()).audit).toEqual([`batch.request batch:${batch.id}`]);
  });

  it('keeps the order of its servers, and stops those of one policy', async () => {
    const { batches, jobs } = stores();
    const [a = 0, b = 0, c = 0] = servers();
    const rules = {
      rings: [{ tag: 'canary', bakeMs: 5 }],
      order: ['db'],
      groups: [{ tag: 'db', atOnce: 1 }],
    };
    const orders = [{ policyId: 3, policy: 'careful', ...rules }];
    const place = { policyId: 3, ring: 0, step: 1, groups: ['db'] };
    const members = [
      newMember(a, { place, notBefore: AT }),
      newMember(b),
      newMember(c, { place: { ...place, ring: 1 } }),
    ];
    const batch = await batches.create(newBatch({ orders }), members, noRecord);
    expect((await batches.find(batch.id))?.orders).toEqual(orders);
    expect((await batches.members(batch.id, { serverIds: [a] }, ALL)).items).toMatchObject([{ place }]);
    const { id } = await jobs.enqueue(newJob(a), noRecord, originOf(batch, a));
    const running = { ...batch, version: batch.version + 1 };
    const stopped = await batches.stop(running, 'A canary failed.', [c]);
    expect(stopped).toMatchObject({
      stopReason: 'A canary failed.',
      counts: { active: 1, waiting: 1, left_out: 1 },
    });
    const job = await jobs.find(id);
    const rest = { notBefore: null, jobStartedAt: null, jobEndedAt: null };
    expect(await batches.ordered(batch.id)).toEqual([
      { ...named(members[0]), status: 'active', jobStartedAt: job?.createdAt, jobEndedAt: null },
      { ...named(members[1]), ...rest, status: 'waiting' },
      { ...named(members[2]), ...rest, status: 'left_out' },
    ]);
  });

  it('keeps which dry runs it is held to', async () => {
    const { batches } = stores();
    const held = newBatch({ params: { ...newBatch().params, planBatchId: 7 } });
    const { id } = await batches.create(held, [newMember(servers()[0] ?? 0)], noRecord);
    expect((await batches.find(id))?.params).toEqual(held.params);
  });

  it('keeps nothing where the record fails', async () => {
    const { batches } = stores();
    await expect(batches.create(newBatch(), servers().map(newMemberOf), brokenRecord)).rejects.toThrow();
    expect((await batches.list({}, ALL)).total).toBe(0);
  });

  it('lists the newest first, and counts, by state, schedule and requester', async () => {
    const { batches } = stores();
    const token = newBatch().requester;
    const mine = await batches.create(newBatch(), [], noRecord);
    const theirs = await batches.create(newBatch({ requester: { ...token, id: 8 } }), [], noRecord);
    const system = { kind: 'system', id: null, name: 's', address: null, label: 's' } as const;
    const scheduled = await batches.create(
      newBatch({ requester: system, scheduled: true, scheduleId: 3 }),
      [],
      noRecord,
    );
    await batches.finish(theirs, 'failed', AT, noRecord);
    const ids = async (filter: Parameters<typeof batches.list>[0]) =>
      (await batches.list(filter, ALL)).items.map(({ id }) => id);
    expect(await ids({})).toEqual([scheduled.id, theirs.id, mine.id]);
    expect(await ids({ status: 'running' })).toEqual([scheduled.id, mine.id]);
    expect(await ids({ requester: { kind: 'token', id: 7 } })).toEqual([mine.id]);
    expect(await ids({ scheduleId: 3, status: 'running' })).toEqual([scheduled.id]);
    expect(await batches.countByStatus({})).toMatchObject({ running: 2, failed: 1, success: 0 });
    expect(await batches.countByStatus({ requester: { kind: 'token', id: 7 } })).toEqual({
      awaiting_approval: 0,
      running: 1,
      success: 0,
      failed: 0,
      stopped: 0,
      cancelled: 0,
    });
    expect(await batches.list({}, { limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      items: [{ id: theirs.id }],
    });
  });

  it('pages through the hosts, by state and server', async () => {
    const { batches } = stores();
    const [a = 0, b = 0, c = 0] = servers();
    const { id } = await batches.create(
      newBatch(),
      [newMember(a), newMember(b, { code: 'feature_disabled', detail: 'x' }), newMember(c)],
      noRecord,
    );
    const named = async (filter: Parameters<typeof batches.members>[1], page = ALL) => {
      const { items, total } = await batches.members(id, filter, page);
      return [items.map(({ serverId }) => serverId), total];
    };
    expect(await named({}, { limit: 1, offset: 1 })).toEqual([[b], 3]);
    expect(await named({ status: 'waiting' })).toEqual([[a, c], 2]);
    expect(await named({ serverIds: [c, b] })).toEqual([[b, c], 2]);
    expect(await named({ serverIds: null })).toEqual([[a, b, c], 3]);
    expect(await named({ serverIds: [] })).toEqual([[], 0]);
  });

  it('tells the run of a schedule of it, once', async () => {
    const { batches, schedules } = stores();
    const schedule = await schedules.add(newSchedule('a'), AT, noRecord);
    const run = await schedules.begin(schedule.id, AT);
    const origin = { kind: 'schedule_run', runId: run.id, scheduled: true } as const;
    const { id } = await batches.create(newBatch(), [], noRecord, origin);
    const [told] = (await schedules.runs(schedule.id, ALL)).items;
    expect(told).toMatchObject({ outcome: 'started', batchId: id, jobId: null });
    await expectRefusal(batches.create(newBatch(), [], noRecord, origin), 'lease_lost');
    expect((await batches.list({}, ALL)).total).toBe(1);
  });
}

const named = (member: NewBatchMember | undefined) =>
  member && {
    serverId: member.serverId,
    serverName: member.serverName,
    place: member.place,
    notBefore: member.notBefore,
  };

const newMemberOf = (serverId: number) => newMember(serverId);

function stepping(stores: () => StoresSubject, servers: () => number[]): void {
  let batch: Batch;
  beforeEach(async () => {
    batch = await stores().batches.create(newBatch(), servers().map(newMemberOf), noRecord);
  });

  /** Starts the job of a host, as the batch is now. */
  const start = async (serverId: number): Promise<number> => {
    const { jobs, batches } = stores();
    const now = await batches.find(batch.id);
    if (!now) throw new Error('it is there');
    return (await jobs.enqueue(newJob(serverId, 'backup'), noRecord, originOf(now, serverId))).id;
  };
  const end = async (status: TerminalStatus): Promise<void> => {
    const { queue } = stores();
    const [claim] = await queue.claim({ owner: 'w', leaseMs: 60_000, limit: 1, at: AT, record: noRecord });
    if (!claim) throw new Error('no job waits');
    const error = status === 'failed' ? FAILURE : null;
    await queue.finish(claim, { status, summary: '', error, result: null }, AT, noRecord);
  };
  const now = async (): Promise<Batch> => {
    const found = await stores().batches.find(batch.id);
    if (!found) throw new Error('it is there');
    return found;
  };
  const members = async (): Promise<readonly BatchMember[]> =>
    (await stores().batches.members(batch.id, {}, ALL)).items;
  /** The counts are kept beside the members, and have to stay the same. */
  const expectExactCounts = async (): Promise<void> => {
    const counts = { ...NO_MEMBERS };
    for (const { status } of await members()) counts[status] += 1;
    expect((await now()).counts).toEqual(counts);
  };

  it('starts the job of a host in the transaction of the job', async () => {
    const { jobs } = stores();
    const [a = 0] = servers();
    await expect(jobs.enqueue(newJob(a, 'backup'), brokenRecord, originOf(batch, a))).rejects.toThrow(
      'no record today',
    );
    expect(await now()).toEqual(batch);
    const jobId = await start(a);
    expect((await members())[0]).toMatchObject({ status: 'active', jobId });
    expect((await stores().batches.ofJob(jobId))?.id).toBe(
      (await stores().batches.list({}, ALL)).items[0]?.id,
    );
    expect(await stores().batches.ofJob(999_999)).toBeNull();
    expect(await now()).toMatchObject({ version: 1, counts: { waiting: 4, active: 1 } });
    await expectExactCounts();
  });

  it('starts the job of a host once, and not for one who knows an older state of the batch', async () => {
    const { jobs } = stores();
    const [a = 0, b = 0] = servers();
    await start(a);
    const seen = await now();
    await expectRefusal(jobs.enqueue(newJob(a, 'retention'), noRecord, originOf(seen, a)), 'lease_lost');
    await expectRefusal(jobs.enqueue(newJob(b, 'backup'), noRecord, originOf(batch, b)), 'lease_lost');
    expect((await jobs.list({}, ALL)).total).toBe(1);
    await expectExactCounts();
  });

  it('lets one of several that advance it at once take a step', async () => {
    const { jobs } = stores();
    const tries = servers().map((id) => jobs.enqueue(newJob(id, 'backup'), noRecord, originOf(batch, id)));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'lease_lost' });
    }
    await expectExactCounts();
  });

  it('lists the jobs that ended since, and records their ends', async () => {
    const { batches } = stores();
    const [a = 0, b = 0, c = 0] = servers();
    for (const id of [a, b, c]) await start(id);
    await end('success');
    await end('failed');
    const [found] = await batches.running(0, 10);
    const ended = [
      { serverId: a, status: 'success' },
      { serverId: b, status: 'failed' },
    ] as const;
    expect(found?.batch).toEqual(await now());
    expect(found?.ended.toSorted((x, y) => x.serverId - y.serverId)).toEqual(ended);
    if (!found) throw new Error('it runs');
    const after = await batches.settle(found.batch, found.ended);
    expect(after).toEqual(await now());
    expect(after.counts).toEqual({ ...NO_MEMBERS, waiting: 2, active: 1, success: 1, failed: 1 });
    expect((await batches.running(0, 10))[0]?.ended).toEqual([]);
    await expectRefusal(batches.settle(found.batch, found.ended), 'lease_lost');
    const [fine, failed] = await members();
    expect([fine?.detail, failed]).toEqual([null, { ...failed, ...FAILURE }]);
    await expectExactCounts();
  });

  it('gives out those that wait in the order of their turns, and skips with a reason', async () => {
    const { batches } = stores();
    const [a = 0, b = 0, c = 0, d = 0] = servers();
    await start(b);
    expect((await batches.waiting(batch.id, 2)).map(({ serverId }) => serverId)).toEqual([a, c]);
    const skipped = [
      { serverId: a, code: 'job_already_active', detail: 'Job 3 runs there.' },
      { serverId: d, code: 'server_not_found', detail: 'It is "gone".' },
      { serverId: b, code: 'internal', detail: 'It has a job, and keeps it.' },
    ] as const;
    const after = await batches.skip(await now(), skipped);
    expect(after.counts).toEqual({ ...NO_MEMBERS, waiting: 2, active: 1, skipped: 2 });
    const seen = await members();
    expect(seen[0]).toMatchObject({ ...skipped[0], status: 'skipped' });
    expect(seen[1]).toMatchObject({ status: 'active', code: null });
    expect(seen[3]).toMatchObject({ ...skipped[1], status: 'skipped' });
    await expectExactCounts();
  });

  it('leaves out those that wait once it stops, and ends', async () => {
    const { batches, record } = stores();
    const [a = 0] = servers();
    await start(a);
    await end('failed');
    const [found] = await batches.running(0, 10);
    if (!found) throw new Error('it runs');
    const settled = await batches.settle(found.batch, found.ended);
    const stopped = await batches.stop(settled, 'A job failed.');
    expect(stopped).toMatchObject({ stopReason: 'A job failed.', counts: { left_out: 4, failed: 1 } });
    const over = await batches.finish(stopped, 'stopped', AT + 9, trailOf('batch.finish', 'batch'));
    expect(over).toMatchObject({ status: 'stopped', finishedAt: AT + 9 });
    expect(await now()).toEqual(over);
    expect(await batches.running(0, 10)).toEqual([]);
    expect((await record()).audit).toContain(`batch.finish batch:${batch.id}`);
    await expectRefusal(batches.stop(over, 'x'), 'lease_lost');
    await expectRefusal(batches.finish(over, 'failed', AT, noRecord), 'lease_lost');
    await expectExactCounts();
  });

  it('is cancelled once: waiting members are left out, and running jobs are asked to stop', async () => {
    const { batches, jobs } = stores();
    const [a = 0, b = 0, c = 0] = servers();
    const running = await start(a);
    const asked = await start(b);
    await end('success');
    await jobs.requestCancel(asked, AT, noRecord);
    const third = await start(c);
    expect(await batches.jobsToCancel(batch.id)).toEqual([third]);
    const after = await batches.requestCancel(batch.id, AT + 3, trailOf('batch.cancel', 'batch'));
    expect(after).toMatchObject({
      status: 'running',
      cancelRequestedAt: AT + 3,
      counts: { left_out: 2, active: 3 },
    });
    expect(running).toBeGreaterThan(0);
    await expectExactCounts();
    await expectRefusal(batches.requestCancel(batch.id, AT + 4, noRecord), 'batch_not_cancellable');
    await expectRefusal(batches.requestCancel(999_999, AT, noRecord), 'batch_not_found');
    await expectRefusal(start(servers()[4] ?? 0), 'lease_lost');
  });

  it('goes through those that run from the oldest on', async () => {
    const { batches } = stores();
    const second = await batches.create(newBatch(), [], noRecord);
    const third = await batches.create(newBatch(), [], noRecord);
    await batches.finish(second, 'failed', AT, noRecord);
    const ids = async (after: number, limit: number) =>
      (await batches.running(after, limit)).map((found) => found.batch.id);
    expect(await ids(0, 1)).toEqual([batch.id]);
    expect(await ids(batch.id, 10)).toEqual([third.id]);
    expect(await ids(third.id, 10)).toEqual([]);
  });
}
