import { beforeEach, describe, expect, test } from 'vitest';
import { AdvanceBatches } from '../../../src/application/automation/advance-batches.ts';
import { CancelBatch } from '../../../src/application/automation/cancel-batch.ts';
import { FollowBatch } from '../../../src/application/automation/follow-batch.ts';
import { GetBatch, ListBatches } from '../../../src/application/automation/get-batch.ts';
import { type BatchRequest, StartBatch } from '../../../src/application/automation/start-batch.ts';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import { type JobRunner, JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { type Batch, MEMBER_STATUSES, type MemberStatus } from '../../../src/domain/automation/batch.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { MAX_HOSTS } from '../../../src/domain/fleet/host-selector.ts';
import type { TerminalStatus } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const runner: JobRunner = {
  types: ['os_update_check', 'os_patch', 'backup'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};
const ALL = { limit: 100, offset: 0 };
const operator = Actor.operator('cli:me');
const noRecord = () => ({});

let scene: ApplicationScene;
let start: StartBatch;
let advance: AdvanceBatches;

beforeEach(() => {
  scene = applicationScene();
  const runners = new JobRunners([runner]);
  start = new StartBatch({ ...scene, runners });
  const trigger = new TriggerJob({ ...scene, runners });
  advance = new AdvanceBatches({ ...scene, triggerJob: trigger, cancelJob: new CancelJob(scene) });
});

/** Servers 1 to n, named so that they are in that order. */
async function fleet(count: number, tag = 'web'): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const { id } = await scene.addServer(`host-${String(n).padStart(2, '0')}`, { os_patch: true });
    await scene.servers.change(id, { tags: [tag] }, 0, noRecord);
  }
}

const ask = (over: Partial<BatchRequest> = {}, actor: Actor = operator): Promise<Batch> =>
  start.execute(actor, { selector: { all: true }, jobType: 'os_update_check', bounds: {}, ...over });

const look = (): Promise<void> => advance.execute(new AbortController().signal);
const now = async (id = 1): Promise<Batch> => {
  const batch = await scene.batches.find(id);
  if (!batch) throw new Error('no such batch');
  return batch;
};
const active = async (): Promise<number[]> =>
  (await scene.jobs.list({ activeOnly: true }, ALL)).items.map((job) => job.serverId).toReversed();
/** Ends every running job, by its server. */
async function endJobs(fate: (serverId: number) => TerminalStatus = () => 'success'): Promise<void> {
  const claims = await scene.queue.claim({
    owner: 'w',
    leaseMs: 60_000,
    limit: 100,
    at: 0,
    record: noRecord,
  });
  for (const claim of claims) {
    const status = fate(claim.job.serverId);
    await scene.queue.finish(claim, { status, summary: '', error: null, result: null }, 0, noRecord);
  }
}
/** Runs a batch to its end; returns which servers were started, per run. */
async function play(fate?: (serverId: number) => TerminalStatus): Promise<number[][]> {
  const begun: number[][] = [];
  for (let round = 0; round < 100; round += 1) {
    await look();
    const servers = await active();
    if (servers.length === 0) return begun;
    begun.push(servers);
    await endJobs(fate);
  }
  throw new Error('it never ended');
}
const told = (batch: Batch): Partial<Record<MemberStatus, number>> =>
  Object.fromEntries(
    MEMBER_STATUSES.flatMap((status) => (batch.counts[status] > 0 ? [[status, batch.counts[status]]] : [])),
  );

describe('a batch', () => {
  test('of twenty hosts with two canaries, of which one host fails, stops as told', async () => {
    await fleet(20);
    const batch = await ask({ bounds: { maxParallel: 5, canary: 2, stopAfterFailures: 1 } });
    expect(told(batch)).toEqual({ waiting: 20 });
    const begun = await play((server) => (server === 9 ? 'failed' : 'success'));
    expect(begun).toEqual([
      [1, 2],
      [3, 4, 5, 6, 7],
      [8, 9, 10, 11, 12],
    ]);
    const after = await now();
    expect(after).toMatchObject({ status: 'stopped', stopReason: 'A job failed; the limit is 1.' });
    expect(told(after)).toEqual({ success: 11, failed: 1, left_out: 8 });
    const { items } = await scene.batches.members(1, { status: 'failed' }, ALL);
    expect(items).toMatchObject([{ serverName: 'host-09', jobId: expect.any(Number) }]);
  });

  test('of twenty hosts whose second canary fails starts no other host', async () => {
    await fleet(20);
    await ask({ bounds: { canary: 3 } });
    expect(await play((server) => (server === 2 ? 'failed' : 'success'))).toEqual([[1, 2, 3]]);
    expect(await now()).toMatchObject({ status: 'stopped', stopReason: expect.stringContaining('canary') });
    expect(told(await now())).toEqual({ success: 2, failed: 1, left_out: 17 });
  });

  test('starts the next host as soon as one has ended', async () => {
    await fleet(4);
    await ask({ bounds: { maxParallel: 2 } });
    await look();
    expect(await active()).toEqual([1, 2]);
    const [claim] = await scene.queue.claim({ owner: 'w', leaseMs: 1, limit: 1, at: 0, record: noRecord });
    if (!claim) throw new Error('nothing waits');
    await look();
    expect(await active()).toEqual([1, 2]);
    await scene.queue.finish(
      claim,
      { status: 'success', summary: '', error: null, result: null },
      0,
      noRecord,
    );
    await look();
    expect(await active()).toEqual([2, 3]);
  });

  test('succeeds with hosts where the job could not run, which say why', async () => {
    await fleet(4);
    await scene.servers.setFeatures(2, { os_patch: false }, 0, noRecord);
    const trigger = new TriggerJob({ ...scene, runners: new JobRunners([runner]) });
    const other = await trigger.execute(operator, { serverId: 3, jobType: 'os_update_check' });
    const batch = await ask();
    expect(told(batch)).toEqual({ waiting: 3, skipped: 1 });
    await play();
    expect(await now()).toMatchObject({ status: 'success' });
    const { items } = await scene.batches.members(1, { status: 'skipped' }, ALL);
    expect(items).toMatchObject([
      { serverName: 'host-02', code: 'feature_disabled', jobId: null },
      {
        serverName: 'host-03',
        code: 'job_already_active',
        detail: expect.stringContaining(`Job ${other.id}`),
      },
    ]);
  });

  test('fails where no host got a job', async () => {
    await fleet(2);
    await ask({ jobType: 'backup' });
    expect(await play()).toEqual([]);
    expect(await now()).toMatchObject({ status: 'failed', finishedAt: scene.clock.now() });
  });

  /** Whose second start ends up here. */
  const failing = (error: Error): AdvanceBatches => {
    let starts = 0;
    const trigger = new TriggerJob({ ...scene, runners: new JobRunners([runner]) });
    return new AdvanceBatches({
      ...scene,
      cancelJob: new CancelJob(scene),
      triggerJob: {
        execute: async (...asked) => {
          starts += 1;
          if (starts === 2) throw error;
          return trigger.execute(...asked);
        },
      },
    });
  };

  test('goes on where the database went away between two starts', async () => {
    await fleet(6);
    await ask({ bounds: { maxParallel: 2 } });
    const gone = new DomainError('database_unavailable', 'It is gone.');
    await expect(failing(gone).execute(new AbortController().signal)).rejects.toBe(gone);
    expect(await active()).toEqual([1]);
    expect((await play()).flat().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await now()).toMatchObject({ status: 'success', counts: { success: 6 } });
  });

  test('skips a host that an internal error keeps from starting, and logs it', async () => {
    await fleet(3);
    await ask();
    await failing(new TypeError('boom')).execute(new AbortController().signal);
    expect(await active()).toEqual([1, 3]);
    const { items } = await scene.batches.members(1, { status: 'skipped' }, ALL);
    expect(items).toMatchObject([{ serverId: 2, code: 'internal' }]);
    expect(scene.log.lines.some((line) => JSON.stringify(line).includes('boom'))).toBe(true);
  });

  test('is taken on by one of two that look at it at the same time', async () => {
    await fleet(6);
    await ask({ bounds: { maxParallel: 3 } });
    await Promise.all([look(), look(), look()]);
    expect(await active()).toEqual([1, 2, 3]);
    await endJobs();
    await Promise.all([look(), look(), look()]);
    expect(await active()).toEqual([4, 5, 6]);
    expect((await scene.jobs.list({}, ALL)).total).toBe(6);
  });

  test('leaves an audit entry of its request, its jobs and its end', async () => {
    await fleet(1);
    await ask({}, tokenActor());
    await scene.tokens.add(
      {
        name: 'agent',
        prefix: 'drv_',
        scopes: ['jobs'],
        allowedCidrs: [],
        allowedServerIds: null,
        requireApproval: false,
        createdBy: 'x',
        createdAt: 0,
        expiresAt: null,
      },
      'hash',
      noRecord,
    );
    await play();
    expect(scene.kept.actions).toContain('batch.request batch:1');
    expect(scene.kept.actions.at(-1)).toBe('batch.finish batch:1');
  });
});

describe('who may do what with a batch', () => {
  const addToken = async (over: object = {}): Promise<number> =>
    (
      await scene.tokens.add(
        {
          name: 'agent',
          prefix: 'drv_',
          scopes: ['read', 'jobs'],
          allowedCidrs: [],
          allowedServerIds: null,
          requireApproval: false,
          createdBy: 'x',
          createdAt: 0,
          expiresAt: null,
          ...over,
        },
        'hash',
        noRecord,
      )
    ).id;

  test('needs the scope and the feature', async () => {
    await fleet(2);
    await expectRefusal(ask({}, tokenActor({ capabilities: ['read'] })), 'scope_missing');
    await expectRefusal(ask({}, tokenActor({ features: ['backup'] })), 'feature_not_allowed');
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'batch.request',
      outcome: 'feature_not_allowed',
    });
  });

  test('reaches only the servers of the token', async () => {
    await fleet(4);
    const limited = tokenActor({ serverIds: new Set([2, 3]) });
    await ask({ selector: { tags: ['web'] } }, limited);
    const { items } = await scene.batches.members(1, {}, ALL);
    expect(items.map(({ serverId }) => serverId)).toEqual([2, 3]);
    const hidden = await expectRefusal(ask({ selector: { ids: [2, 4] } }, limited), 'server_not_found');
    const missing = await expectRefusal(ask({ selector: { ids: [2, 99] } }), 'server_not_found');
    expect(hidden.message.replace('4', '99')).toBe(missing.message);
  });

  test('is refused as a whole where it means no server, or too many, or makes no sense', async () => {
    await fleet(1);
    await expectRefusal(ask({ selector: { tags: ['db'] } }), 'server_not_found');
    await expectRefusal(ask({ selector: {} }), 'invalid_input');
    await expectRefusal(ask({ osSteps: ['update'] }), 'invalid_input');
    await expectRefusal(ask({ jobType: 'host_reboot' }), 'job_type_unavailable');
    await expectRefusal(ask({ bounds: { maxParallel: 0 } }), 'invalid_input');
    const server = { id: 1, name: 'x', tags: [], features: { backup: true, os_patch: true, docker: true } };
    const selection = { select: async () => Array.from({ length: MAX_HOSTS + 1 }, () => server) };
    const tooMany = new StartBatch({ ...scene, selection, runners: new JobRunners([runner]) });
    await expectRefusal(
      tooMany.execute(operator, { selector: { all: true }, jobType: 'os_update_check', bounds: {} }),
      'invalid_input',
    );
  });

  test('asks for the approval of each host if its token needs approval only since it started', async () => {
    await fleet(2);
    const id = await addToken({ requireApproval: true });
    await ask({}, tokenActor({ id }));
    await look();
    const { items } = await scene.jobs.list({}, ALL);
    expect(items.map(({ status }) => status)).toEqual(['awaiting_approval', 'awaiting_approval']);
    expect(told(await now())).toEqual({ active: 2 });
  });

  test.each([
    ['is revoked', (id: number) => scene.tokens.revoke(id, scene.clock.now(), noRecord)],
    [
      'loses the scope',
      (id: number) =>
        scene.tokens.change(
          id,
          {
            name: 'agent',
            scopes: ['read'],
            allowedCidrs: [],
            allowedServerIds: null,
            requireApproval: false,
            approvalInClient: false,
            approvalRule: null,
            expiresAt: null,
          },
          noRecord,
        ),
    ],
  ])('starts nothing more once the token %s', async (_, change) => {
    await fleet(4);
    const id = await addToken();
    await ask({ bounds: { maxParallel: 2 } }, tokenActor({ id }));
    await look();
    await change(id);
    await endJobs();
    await look();
    expect(told(await now())).toEqual({ success: 2, left_out: 2 });
    expect(await now()).toMatchObject({ status: 'stopped', stopReason: expect.any(String) });
  });

  test('shows a token that is limited to servers its own batches and no others', async () => {
    await fleet(3);
    await ask({}, operator);
    const limited = tokenActor({ id: 8, serverIds: new Set([2]) });
    await ask({}, limited);
    const get = new GetBatch(scene);
    const list = new ListBatches(scene);
    await expectRefusal(get.execute(limited, 1, ALL), 'batch_not_found');
    expect((await get.execute(limited, 2, ALL)).members.total).toBe(1);
    expect((await get.execute(tokenActor(), 1, ALL)).members.total).toBe(3);
    expect((await list.execute(limited, ALL)).items.map(({ id }) => id)).toEqual([2]);
    expect((await list.execute(tokenActor(), ALL)).total).toBe(2);
    await expectRefusal(get.execute(tokenActor({ capabilities: ['jobs'] }), 1, ALL), 'read_scope_missing');
    const cancel = new CancelBatch(scene);
    await expectRefusal(cancel.execute(limited, 1), 'batch_not_found');
    await expectRefusal(cancel.execute(tokenActor({ capabilities: ['read'] }), 2), 'scope_missing');
    await expectRefusal(cancel.execute(tokenActor({ features: ['backup'] }), 2), 'feature_not_allowed');
  });
});

describe('a batch by a batch of dry runs', () => {
  /** Ends the dry runs of batch 1: servers 1 and 2 with a plan, 3 with one too long to be held to, 4 without any. */
  async function planned(): Promise<void> {
    await fleet(4);
    await ask({ jobType: 'os_patch', dryRun: true });
    await look();
    const at = scene.clock.now();
    const claims = await scene.queue.claim({ owner: 'w', leaseMs: HOUR, limit: 9, at, record: noRecord });
    for (const claim of claims) {
      const { id, serverId } = claim.job;
      const plan = { plan_id: id, plan_expires_at: new Date(at + HOUR).toISOString() };
      const status = serverId === 4 ? 'failed' : 'success';
      const result = serverId === 3 ? { plan_id: null, plan_expires_at: null } : plan;
      await scene.queue.finish(claim, { status, summary: '', error: null, result }, at, noRecord);
    }
    await look();
  }
  const held = () => ask({ jobType: 'os_patch', planBatchId: 1 });
  const plans = async () =>
    (await scene.jobs.list({}, ALL)).items
      .filter(({ params }) => !params.dryRun)
      .map(({ serverId, params }) => [serverId, params.planId ?? null])
      .toSorted(([one], [other]) => Number(one) - Number(other));

  test('holds each job to the dry run of its server, and skips servers that have none', async () => {
    await planned();
    await held();
    await look();
    expect(await plans()).toEqual([
      [1, 1],
      [2, 2],
      [3, null],
    ]);
    const { items } = await scene.batches.members(2, { status: 'skipped' }, ALL);
    expect(items).toMatchObject([{ serverId: 4, code: 'plan_not_found' }]);
    expect((await scene.jobs.find(5))?.params).not.toHaveProperty('planBatchId');
  });

  test('skips servers whose dry run is too long ago, or was used before', async () => {
    await planned();
    await held();
    await look();
    await endJobs();
    await held();
    await look();
    const used = await scene.batches.members(3, { status: 'skipped' }, ALL);
    expect(used.items.map(({ code }) => code)).toEqual(['plan_used', 'plan_used', 'plan_not_found']);
    await scene.clock.advance(2 * HOUR);
    await held();
    await look();
    const late = await scene.batches.members(4, { status: 'skipped' }, ALL);
    expect(late.items.map(({ code }) => code)).toContain('plan_expired');
  });

  test('is refused if that was not a dry run of the same', async () => {
    await planned();
    await ask();
    await expectRefusal(ask({ jobType: 'os_patch', planBatchId: 2 }), 'plan_not_found');
    await expectRefusal(ask({ jobType: 'os_update_check', planBatchId: 1 }), 'plan_not_found');
    await expectRefusal(ask({ jobType: 'os_patch', dryRun: true, planBatchId: 1 }), 'plan_not_found');
    await expectRefusal(ask({ jobType: 'os_patch', planBatchId: 77 }), 'batch_not_found');
  });
});

describe('a batch and maintenance windows', () => {
  beforeEach(async () => {
    await fleet(3);
    await scene.windows.add(
      {
        name: 'nights',
        selector: { by: 'ids', ids: [2] },
        opens: { expression: '0 2 * * *', timeZone: 'UTC' },
        durationMs: HOUR,
        enabled: true,
        createdBy: 'cli:me',
        createdAt: 0,
      },
      noRecord,
    );
  });

  test('skip hosts whose window is closed, and tell when it opens', async () => {
    await ask({ jobType: 'os_patch' });
    const { items } = await scene.batches.members(1, { status: 'skipped' }, ALL);
    expect(items).toMatchObject([{ serverId: 2, code: 'outside_maintenance_window' }]);
    expect(items[0]?.detail).toContain('2026-01-16 02:00 UTC');
  });

  test('skip hosts whose window closes before their turn comes', async () => {
    await scene.clock.advance(14.5 * HOUR);
    await ask({ jobType: 'os_patch', bounds: { maxParallel: 1 } });
    await look();
    await scene.clock.advance(HOUR);
    await endJobs();
    expect((await play()).flat()).toEqual([3]);
    const { items } = await scene.batches.members(1, { status: 'skipped' }, ALL);
    expect(items).toMatchObject([{ serverId: 2, code: 'outside_maintenance_window' }]);
  });

  test('do not hold for an operator who says so', async () => {
    await ask({ jobType: 'os_patch', outsideWindow: true });
    expect((await play()).flat()).toEqual([1, 2, 3]);
    await expectRefusal(
      ask({ jobType: 'os_patch', outsideWindow: true }, tokenActor()),
      'outside_maintenance_window',
    );
  });
});

describe('cancelling a batch', () => {
  test('starts nothing more, asks its jobs to stop, and ends when they have', async () => {
    await fleet(6);
    await ask({ bounds: { maxParallel: 2 } });
    await look();
    const [claim] = await scene.queue.claim({
      owner: 'w',
      leaseMs: 60_000,
      limit: 1,
      at: 0,
      record: noRecord,
    });
    if (!claim) throw new Error('nothing waits');
    const cancelled = await new CancelBatch(scene).execute(operator, 1);
    expect(cancelled).toMatchObject({ status: 'running', cancelRequestedAt: scene.clock.now() });
    expect(told(cancelled)).toEqual({ active: 2, left_out: 4 });
    await look();
    expect(await scene.queue.heartbeat(claim, 1)).toEqual({ cancelRequested: true });
    expect(await active()).toEqual([1]);
    await scene.queue.finish(
      claim,
      { status: 'cancelled', summary: '', error: null, result: null },
      0,
      noRecord,
    );
    await look();
    expect(await now()).toMatchObject({ status: 'cancelled' });
    expect(told(await now())).toEqual({ cancelled: 2, left_out: 4 });
    await expectRefusal(new CancelBatch(scene).execute(operator, 1), 'batch_not_cancellable');
  });

  test('works between a look and a start', async () => {
    await fleet(4);
    await ask();
    const late = new AdvanceBatches({
      ...scene,
      cancelJob: new CancelJob(scene),
      triggerJob: {
        execute: async (...asked) => {
          if (asked[1].serverId === 2) await new CancelBatch(scene).execute(operator, 1);
          return new TriggerJob({ ...scene, runners: new JobRunners([runner]) }).execute(...asked);
        },
      },
    });
    await late.execute(new AbortController().signal);
    expect(await active()).toEqual([1]);
    expect(told(await now())).toEqual({ active: 1, left_out: 3 });
  });
});

describe('following a batch', () => {
  test('tells each state until the end', async () => {
    await fleet(2);
    await ask();
    const seen: object[] = [];
    const following = new FollowBatch(scene).execute(
      operator,
      1,
      (batch) => seen.push(told(batch)),
      new AbortController().signal,
    );
    await scene.clock.advance(100);
    await look();
    await scene.clock.advance(1_000);
    await endJobs();
    await look();
    await scene.clock.advance(1_000);
    expect(await following).toMatchObject({ status: 'success' });
    expect(seen).toEqual([{ waiting: 2 }, { active: 2 }, { success: 2 }]);
  });
});
