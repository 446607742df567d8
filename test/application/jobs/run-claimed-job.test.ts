import { beforeEach, describe, expect, test, vi } from 'vitest';
import { HostOpener } from '../../../src/application/fleet/host-opener.ts';
import { LEASE_TIMES } from '../../../src/application/jobs/claimed-job.ts';
import { JobWakeup } from '../../../src/application/jobs/job-wakeup.ts';
import { type EndedJob, RunClaimedJob } from '../../../src/application/jobs/run-claimed-job.ts';
import { type JobContext, JobRunners, type RunResult } from '../../../src/application/jobs/runner.ts';
import type { Claim } from '../../../src/application/ports/jobs/job-queue.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import { describeServer } from '../../../src/domain/fleet/server-description.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeRemoteHosts } from '../../fakes/fake-remote-hosts.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';
import { newJob, noRecord } from '../../support/job-subject.ts';
import { sceneDatabase } from '../../support/scene-database.ts';

const DONE: RunResult = { summary: 'All done.', result: { files: 3 } };

/** One claimed backup job on one local server, and a runner that the test controls. */
class Scene {
  readonly clock = new FakeClock();
  readonly stores = sceneDatabase(this.clock);
  readonly kept = this.stores.kept;
  readonly jobs = this.stores.jobs;
  readonly queue = this.stores.queue;
  readonly servers = this.stores.servers;
  readonly hosts = new FakeRemoteHosts();
  readonly wakeup = new JobWakeup();
  readonly log = new RecordingLogger();
  readonly stopping = new AbortController();
  apply: (context: JobContext) => Promise<RunResult> = () => Promise.resolve(DONE);

  /** Whether the maintenance windows allow it to start. */
  passes: () => Promise<void> = () => Promise.resolve();

  async claim(
    over: { dryRun?: boolean; outsideWindow?: boolean; waitForHostMinutes?: number } = {},
  ): Promise<Claim> {
    const server = await this.servers.add(
      describeServer({ name: 'web-1', connection: 'local', features: { backup: true } }),
      this.clock.now(),
      () => ({}),
    );
    await this.jobs.enqueue(newJob(server.id, 'backup', { params: { dryRun: false, ...over } }), noRecord);
    const [claim] = await this.claimAs('me');
    if (!claim) throw new Error('nothing to claim');
    return claim;
  }

  claimAs(owner: string): Promise<readonly Claim[]> {
    return this.queue.claim({
      owner,
      leaseMs: LEASE_TIMES.leaseMs,
      limit: 1,
      at: this.clock.now(),
      record: noRecord,
    });
  }

  run(claim: Claim): Promise<EndedJob | null> {
    const { queue, servers, hosts, clock, log, wakeup } = this;
    const runner = {
      types: ['backup' as const],
      timeLimitMs: 10 * MINUTE,
      plan: () => Promise.resolve({ ...DONE, summary: 'Planned.' }),
      apply: (context: JobContext) => this.apply(context),
    };
    const opener = new HostOpener({
      hosts,
      servers,
      keys: { find: () => Promise.resolve(null) } as never,
      box: new PlainSecretBox(),
      contacts: { succeeded: async () => {}, failed: async () => {} },
      agentSocket: null,
    });
    return new RunClaimedJob({
      queue,
      servers,
      runners: new JobRunners([runner]),
      opener: opener,
      gate: { pass: () => this.passes() },
      clock,
      log,
      wakeup,
      leaseTimes: LEASE_TIMES,
      instance: 'here',
    }).execute(claim, this.stopping.signal);
  }

  async job(id: number): Promise<Job> {
    const job = await this.jobs.find(id);
    if (!job) throw new Error('gone');
    return job;
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

/** Ends when the context's signal is aborted, as a well-behaved runner does. */
const untilAborted = (context: JobContext): Promise<RunResult> =>
  new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => reject(context.signal.reason as Error), { once: true });
  });

describe('a claimed job', () => {
  test('ends as its runner does, with its facts, log, event and audit entry', async () => {
    const claim = await scene.claim();
    scene.apply = async (context) => {
      context.log('Working.');
      await context.openHost();
      return { ...DONE, facts: { rebootPending: true } };
    };
    await scene.run(claim);
    const job = await scene.job(claim.job.id);
    expect(job).toMatchObject({ status: 'success', summary: 'All done.', result: { files: 3 }, error: null });
    expect(job.logTail.map((line) => line.slice(9))).toEqual(['Working.', 'All done.']);
    const server = await scene.servers.find(claim.job.serverId);
    expect(server?.facts).toMatchObject({ rebootPending: true, lastSeenAt: scene.clock.now() });
    expect(scene.kept.events.map((event) => event.type)).toContain('job.succeeded');
    expect(scene.kept.actions).toContain(`job.finish job:${job.id}`);
  });

  test('only plans where a dry run was asked for', async () => {
    const claim = await scene.claim({ dryRun: true });
    scene.apply = () => Promise.reject(new Error('must not be applied'));
    await scene.run(claim);
    expect((await scene.job(claim.job.id)).summary).toBe('Planned.');
  });

  test('is cancelled where its work stopped before it changed anything, and clears up', async () => {
    const claim = await scene.claim();
    let clear = false;
    scene.apply = async () => ({
      ...DONE,
      failure: new DomainError('job_cancelled', 'Cancelled in time.'),
      afterwards: async () => {
        clear = true;
      },
    });
    expect(await scene.run(claim)).toMatchObject({ status: 'cancelled' });
    expect(await scene.job(claim.job.id)).toMatchObject({
      status: 'cancelled',
      summary: 'Cancelled in time.',
      error: null,
    });
    expect(clear).toBe(true);
  });

  describe('whose window has closed while it waited', () => {
    const CLOSED = 'outside_maintenance_window';
    beforeEach(() => {
      scene.passes = () => Promise.reject(new DomainError(CLOSED, 'It opens at noon.'));
    });

    test('does not start, and says so', async () => {
      const claim = await scene.claim();
      scene.apply = () => Promise.reject(new Error('must not be applied'));
      await scene.run(claim);
      expect(await scene.job(claim.job.id)).toMatchObject({
        status: 'failed',
        error: { code: CLOSED, detail: 'It opens at noon.' },
      });
    });

    test.each([
      ['an operator wanted it all the same', { outsideWindow: true }, null],
      ['it had begun before', {}, '{"offset":0}'],
    ])('goes on where %s', async (_why, params, runMarker) => {
      const claim = await scene.claim(params);
      await scene.run({ ...claim, runMarker });
      expect(await scene.job(claim.job.id)).toMatchObject({ status: 'success' });
    });
  });

  describe('whose host is down', () => {
    const DOWN = 'host_unreachable';
    /** How often its runner started. */
    let began = 0;
    beforeEach(() => {
      began = 0;
      scene.hosts.host('web-1').on(':', () => '');
      scene.apply = () => {
        began += 1;
        return Promise.resolve(DONE);
      };
    });
    const isDown = () =>
      vi.spyOn(scene.hosts, 'connect').mockRejectedValue(new DomainError(DOWN, 'No answer.'));

    test('waits in the queue, tries again, and starts when the host is back', async () => {
      const down = isDown();
      const claim = await scene.claim({ waitForHostMinutes: 5 });
      expect(await scene.run(claim)).toBeNull();
      expect(await scene.job(claim.job.id)).toMatchObject({
        status: 'pending',
        startedAt: null,
        current: expect.stringContaining('host-1'),
      });
      expect(await scene.claimAs('me')).toEqual([]);
      await scene.clock.advance(15_000);
      const [second] = await scene.claimAs('me');
      expect(await scene.run(second ?? claim)).toBeNull();
      await scene.clock.advance(15_000);
      expect(await scene.claimAs('me')).toEqual([]);
      expect(began).toBe(0);
      down.mockRestore();
      await scene.clock.advance(15_000);
      const [third] = await scene.claimAs('me');
      expect(await scene.run(third ?? claim)).toMatchObject({ status: 'success' });
      expect(began).toBe(1);
      expect(await scene.job(claim.job.id)).toMatchObject({ startedAt: expect.any(Number), error: null });
    });

    test('fails when its time is up, and at once without a wait', async () => {
      isDown();
      const claim = await scene.claim({ waitForHostMinutes: 1 });
      for (let next: Claim | undefined = claim; next; [next] = await scene.claimAs('me')) {
        await scene.run(next);
        await scene.clock.advance(30_000);
      }
      expect(await scene.job(claim.job.id)).toMatchObject({ status: 'failed', error: { code: DOWN } });
      expect(began).toBe(0);
    });

    test.each([
      ['its runner loses the host', { waitForHostMinutes: 5 }],
      ['it was not asked to', {}],
    ])('does not wait if %s', async (_why, params) => {
      scene.apply = () => Promise.reject(new DomainError(DOWN, 'Gone.'));
      const claim = await scene.claim(params);
      expect(await scene.run(claim)).toMatchObject({ status: 'failed' });
      expect(await scene.job(claim.job.id)).toMatchObject({ status: 'failed', error: { code: DOWN } });
    });

    test('waits if a kept connection no longer leads to it', async () => {
      scene.hosts.host('web-1').on(':', () => {
        throw new DomainError('host_connection_lost', 'Gone.');
      });
      const claim = await scene.claim({ waitForHostMinutes: 5 });
      expect(await scene.run(claim)).toBeNull();
      expect(await scene.job(claim.job.id)).toMatchObject({ status: 'pending' });
      expect(began).toBe(0);
    });

    test.each(['host_key_mismatch', 'host_auth_failed'] as const)('does not wait for %s', async (code) => {
      vi.spyOn(scene.hosts, 'connect').mockRejectedValue(new DomainError(code, 'Refused.'));
      const claim = await scene.claim({ waitForHostMinutes: 5 });
      expect(await scene.run(claim)).toMatchObject({ status: 'failed' });
    });

    test('asks its maintenance windows at each try', async () => {
      const down = isDown();
      const claim = await scene.claim({ waitForHostMinutes: 5 });
      await scene.run(claim);
      down.mockRestore();
      scene.passes = () => Promise.reject(new DomainError('outside_maintenance_window', 'It opens at noon.'));
      await scene.clock.advance(15_000);
      const [again] = await scene.claimAs('me');
      await scene.run(again ?? claim);
      expect((await scene.job(claim.job.id)).error?.code).toBe('outside_maintenance_window');
      expect(began).toBe(0);
    });

    test('is cancelled during a try', async () => {
      const claim = await scene.claim({ waitForHostMinutes: 5 });
      vi.spyOn(scene.hosts, 'connect').mockImplementation(async () => {
        await scene.jobs.requestCancel(claim.job.id, scene.clock.now(), () => ({}));
        scene.wakeup.jobCancelled(claim.job.id);
        throw new DomainError(DOWN, 'No answer.');
      });
      expect(await scene.run(claim)).toMatchObject({ status: 'cancelled' });
    });
  });

  test('fails with the code and sentence of what went wrong', async () => {
    const claim = await scene.claim();
    scene.apply = () => Promise.reject(new DomainError('disk_full', 'There is no room.'));
    await scene.run(claim);
    expect(await scene.job(claim.job.id)).toMatchObject({
      status: 'failed',
      error: { code: 'disk_full', detail: 'There is no room.' },
    });
  });

  test('reveals nothing of an internal error but that it was one; the operator reads the rest', async () => {
    const claim = await scene.claim();
    scene.apply = () => Promise.reject(new TypeError('secret detail'));
    await scene.run(claim);
    const job = await scene.job(claim.job.id);
    expect(job.error).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(job)).not.toContain('secret detail');
    expect(JSON.stringify(scene.log.lines)).toContain('secret detail');
  });

  test('raises the alarm where the host key is not the confirmed one', async () => {
    const claim = await scene.claim();
    scene.apply = () => Promise.reject(new DomainError('host_key_mismatch', 'Another key.'));
    await scene.run(claim);
    expect(scene.kept.events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['job.failed', 'host_key.mismatch']),
    );
  });

  test('is cancelled at once by a request in the same process', async () => {
    const claim = await scene.claim();
    scene.apply = untilAborted;
    const running = scene.run(claim);
    await scene.clock.advance(1_000);
    await scene.jobs.requestCancel(claim.job.id, scene.clock.now(), () => ({}));
    scene.wakeup.jobCancelled(claim.job.id);
    await running;
    expect(await scene.job(claim.job.id)).toMatchObject({ status: 'cancelled', error: null });
  });

  test('is cancelled within a heartbeat by a request in another', async () => {
    const claim = await scene.claim();
    scene.apply = untilAborted;
    const running = scene.run(claim);
    await scene.clock.advance(1_000);
    await scene.jobs.requestCancel(claim.job.id, scene.clock.now(), () => ({}));
    await scene.clock.advance(LEASE_TIMES.heartbeatMs);
    await running;
    expect((await scene.job(claim.job.id)).status).toBe('cancelled');
  });

  test('keeps its lease for as long as it runs', async () => {
    const claim = await scene.claim();
    scene.apply = untilAborted;
    const running = scene.run(claim);
    await scene.clock.advance(4 * LEASE_TIMES.leaseMs);
    const swept = await scene.queue.sweep({
      deadOwners: [],
      limit: 10,
      at: scene.clock.now(),
      record: () => ({}),
    });
    expect(swept).toEqual([]);
    scene.stopping.abort();
    await running;
  });

  test('writes nothing more once another owner has it', async () => {
    const claim = await scene.claim();
    let aborted: unknown;
    scene.apply = async (context) => {
      try {
        return await untilAborted(context);
      } catch (error) {
        aborted = error;
        throw error;
      }
    };
    const running = scene.run(claim);
    await scene.clock.advance(1_000);
    await scene.queue.giveBack(claim);
    await scene.claimAs('other');
    await scene.clock.advance(LEASE_TIMES.heartbeatMs);
    await running;
    expect(aborted).toMatchObject({ code: 'lease_lost' });
    expect((await scene.job(claim.job.id)).status).toBe('running');
  });

  test('is released when the service stops, and can be claimed again', async () => {
    const claim = await scene.claim();
    scene.apply = untilAborted;
    const running = scene.run(claim);
    await scene.clock.advance(1_000);
    scene.stopping.abort();
    await running;
    expect((await scene.job(claim.job.id)).status).toBe('pending');
    const [again] = await scene.claimAs('next');
    expect(again?.fence).toBeGreaterThan(claim.fence);
  });

  test('starts again if the database was away in its middle, and fails if it always is', async () => {
    const claim = await scene.claim();
    scene.apply = () => Promise.reject(new DomainError('database_unavailable', 'Away.'));
    await scene.run(claim);
    expect((await scene.job(claim.job.id)).status).toBe('pending');
    for (let again = await scene.claimAs('next'); again[0]; again = await scene.claimAs('next')) {
      await scene.run(again[0]);
    }
    expect(await scene.job(claim.job.id)).toMatchObject({
      status: 'failed',
      error: { code: 'database_unavailable' },
    });
  });

  test('fails once its time is up', async () => {
    const claim = await scene.claim();
    scene.apply = untilAborted;
    const running = scene.run(claim);
    await scene.clock.advance(11 * MINUTE);
    await running;
    expect(await scene.job(claim.job.id)).toMatchObject({
      status: 'failed',
      error: { code: 'host_timeout' },
    });
  });

  test('shows its progress while it runs', async () => {
    const claim = await scene.claim();
    scene.apply = (context) => {
      context.progress('Copying', 41.6);
      return untilAborted(context);
    };
    const running = scene.run(claim);
    await scene.clock.advance(1_000);
    expect(await scene.job(claim.job.id)).toMatchObject({ current: 'Copying', percent: 42 });
    scene.stopping.abort();
    await running;
  });

  test('records its steps with their starts, and the last one with its end', async () => {
    const claim = await scene.claim();
    scene.apply = async (context) => {
      context.progress('Reading', null);
      await scene.clock.sleep(2_000);
      context.progress('Copying 1', 50, {
        phase: 'Copying',
        amount: { done: 1, total: 2, unit: 'bytes' },
      });
      await scene.clock.sleep(1_000);
      context.progress('Copying 2', 100, {
        phase: 'Copying',
        amount: { done: 2, total: 2, unit: 'bytes' },
      });
      return { summary: 'Done.', result: {} };
    };
    const began = scene.clock.now();
    const running = scene.run(claim);
    await scene.clock.advance(2_600);
    const [reading, copying] = (await scene.job(claim.job.id)).phases;
    expect(reading).toEqual({ name: 'Reading', startedAt: began, amount: null });
    expect(copying).toMatchObject({ name: 'Copying', startedAt: began + 2_000, amount: { done: 1 } });
    await scene.clock.advance(1_000);
    await running;
    expect((await scene.job(claim.job.id)).phases).toMatchObject([{}, { amount: { done: 2 } }]);
  });

  test('ends even where the database is away for a while at the end', async () => {
    const claim = await scene.claim();
    const finish = scene.queue.finish.bind(scene.queue);
    let failures = 3;
    scene.queue.finish = (...args) => {
      failures -= 1;
      return failures >= 0
        ? Promise.reject(new DomainError('database_unavailable', 'Away.'))
        : finish(...args);
    };
    const running = scene.run(claim);
    await scene.clock.advance(10_000);
    await running;
    expect((await scene.job(claim.job.id)).status).toBe('success');
  });
});
