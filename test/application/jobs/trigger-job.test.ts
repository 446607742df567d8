import { beforeEach, describe, expect, test } from 'vitest';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import type { JobRunner } from '../../../src/application/jobs/runner.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { type JobRequest, TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { NewWindow } from '../../../src/domain/automation/maintenance-window.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { JobAlreadyActive } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { newSchedule } from '../../support/schedules.ts';

const runner: JobRunner = {
  types: ['backup', 'retention', 'os_update_check', 'os_patch'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};

let scene: ApplicationScene;
let trigger: TriggerJob;
beforeEach(async () => {
  scene = applicationScene();
  trigger = new TriggerJob({ ...scene, runners: new JobRunners([runner]) });
  await scene.addServer('one', { backup: true, os_patch: true });
  await scene.addSource(1);
  await scene.addServer('two');
});

const ask = (over: Partial<JobRequest> = {}, actor: Actor = tokenActor()): Promise<unknown> =>
  trigger.execute(actor, { serverId: 1, jobType: 'backup', ...over });
const code = (expected: string): unknown => expect.objectContaining({ code: expected });

describe('asking for a job', () => {
  test('queues it, wakes the worker, and leaves an audit entry', async () => {
    let woken = 0;
    scene.wakeup.onJobWaits(() => {
      woken += 1;
    });
    const job = await trigger.execute(tokenActor(), { serverId: 1, jobType: 'backup', sourceFilter: 'etc' });
    expect(job).toMatchObject({
      status: 'pending',
      serverName: 'one',
      lane: 'backup',
      requestedBy: 'token:agent',
      params: { sourceFilter: 'etc', service: null, osSteps: null, dryRun: false },
    });
    expect(woken).toBe(1);
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'job.request',
      object: 'job:1',
      outcome: 'done',
    });
  });

  test('refuses in the promised order: capability, feature, server, host flag, parameters', async () => {
    const worst = { serverId: 99, jobType: 'container_patch', osSteps: [] } as const;
    const limited = { features: ['os' as const], serverIds: new Set([1]) };
    await expect(ask(worst, tokenActor({ ...limited, capabilities: ['read'] }))).rejects.toEqual(
      code('scope_missing'),
    );
    await expect(ask(worst, tokenActor(limited))).rejects.toEqual(code('feature_not_allowed'));
    await expect(ask(worst, tokenActor({ serverIds: new Set([1]) }))).rejects.toEqual(
      code('server_not_found'),
    );
    await expect(ask({ ...worst, serverId: 2 })).rejects.toEqual(code('feature_disabled'));
    await scene.servers.setFeatures(2, { docker: true }, 0, () => ({}));
    await expect(ask({ ...worst, serverId: 2 })).rejects.toEqual(code('job_type_unavailable'));
    await expect(ask({ osSteps: ['update'] })).rejects.toEqual(code('invalid_input'));
  });

  test('answers alike for a server that is not there and one that the token may not see', async () => {
    const missing = await ask({ serverId: 99 }).catch((error: Error) => error.message);
    const hidden = await ask({ serverId: 99 }, tokenActor({ serverIds: new Set([1]) })).catch(
      (error: Error) => error.message,
    );
    expect(hidden).toBe(missing);
  });

  test('leaves an audit entry of each refusal', async () => {
    await expect(ask({}, tokenActor({ capabilities: ['read'] }))).rejects.toThrow();
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'job.request',
      object: 'server:1',
      outcome: 'scope_missing',
      actorName: 'agent',
      address: '203.0.113.7',
    });
  });

  test('is refused with the job that holds the lane', async () => {
    await ask();
    const refusal = await ask().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(JobAlreadyActive);
    expect((refusal as JobAlreadyActive).job.id).toBe(1);
    await expect(ask({ jobType: 'retention' })).resolves.toMatchObject({ id: 2 });
  });

  test('needs the source that it names, and any source at all', async () => {
    await expect(ask({ sourceFilter: 'home' })).rejects.toEqual(code('source_not_found'));
    await scene.servers.setFeatures(2, { backup: true }, 0, () => ({}));
    await expect(ask({ serverId: 2 })).rejects.toEqual(code('no_backup_source'));
  });

  test('runs the steps of a patch in the order of the host, not of the caller', async () => {
    await expect(ask({ jobType: 'os_patch', osSteps: ['upgrade', 'update'] })).resolves.toMatchObject({
      params: { osSteps: ['update', 'upgrade'] },
    });
  });

  test('waits for approval if the token requires it, holds no lane meanwhile, and reports the request', async () => {
    const careful = tokenActor({ requireApproval: true });
    await expect(ask({}, careful)).resolves.toMatchObject({ status: 'awaiting_approval' });
    expect(scene.kept.events.map((event) => event.type)).toEqual(['approval.requested']);
    await expect(ask()).resolves.toMatchObject({ status: 'pending' });
  });
});

describe('maintenance windows', () => {
  /** It is noon: the one opened at two in the night. */
  const addWindow = (over: Partial<NewWindow> = {}): Promise<unknown> =>
    scene.windows.add(
      {
        name: 'nights',
        selector: { by: 'ids', ids: [1] },
        opens: { expression: '0 2 * * *', timeZone: 'UTC' },
        durationMs: HOUR,
        enabled: true,
        createdBy: 'cli:me',
        createdAt: 0,
        ...over,
      },
      () => ({}),
    );
  const operator = Actor.operator('cli:me');

  test('apply to jobs that change the host, for every caller, and say when the next one opens', async () => {
    await addWindow();
    for (const actor of [tokenActor(), operator, Actor.system('schedule nightly')]) {
      await expect(ask({ jobType: 'os_patch' }, actor)).rejects.toMatchObject({
        code: 'outside_maintenance_window',
        message: expect.stringContaining('(nights) opens at 2026-01-16 02:00 UTC.'),
      });
    }
  });

  test('let backups, checks and dry runs through, and every job while one is open', async () => {
    await addWindow();
    await expect(ask({ jobType: 'backup' })).resolves.toMatchObject({ status: 'pending' });
    await expect(ask({ jobType: 'os_update_check' })).resolves.toMatchObject({ status: 'pending' });
    await expect(ask({ jobType: 'os_patch', dryRun: true })).resolves.toMatchObject({ status: 'pending' });
    await scene.jobs.requestCancel(3, 0, () => ({}));
    await scene.clock.advance(14.5 * HOUR);
    await expect(ask({ jobType: 'os_patch' })).resolves.toMatchObject({ status: 'pending' });
  });

  test('hold only for the servers that they are meant for', async () => {
    await addWindow({ selector: { by: 'ids', ids: [2] } });
    await expect(ask({ jobType: 'os_patch' })).resolves.toMatchObject({ status: 'pending' });
  });

  test('come after the host flag and before the parameters', async () => {
    await addWindow({ selector: { by: 'all' } });
    await expect(ask({ serverId: 2, jobType: 'os_patch' })).rejects.toEqual(code('feature_disabled'));
    await expect(ask({ jobType: 'os_patch', osSteps: [] })).rejects.toEqual(
      code('outside_maintenance_window'),
    );
  });

  test('can be bypassed by an operator explicitly, which the audit log records; by no other caller', async () => {
    await addWindow();
    const outside = { jobType: 'os_patch', outsideWindow: true } as const;
    for (const actor of [tokenActor(), Actor.system('schedule nightly')]) {
      await expect(ask(outside, actor)).rejects.toEqual(code('outside_maintenance_window'));
    }
    await expect(ask(outside, operator)).resolves.toMatchObject({ status: 'pending' });
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'job.request',
      actorName: 'cli:me',
      detail: { outsideWindow: true },
    });
  });
});

describe('a job for a run of a schedule', () => {
  test('is scheduled, asked for by the schedule, and known to the run', async () => {
    const schedule = await scene.schedules.add(newSchedule('nightly'), 0, () => ({}));
    const run = await scene.schedules.begin(schedule.id, 1);
    const origin = { kind: 'schedule_run', runId: run.id, scheduled: true } as const;
    const request = { serverId: 1, jobType: 'backup' } as const;
    const job = await trigger.execute(Actor.system('schedule nightly'), request, origin);
    expect(job).toMatchObject({ scheduled: true, requestedBy: 'schedule nightly' });
    expect((await scene.schedules.runs(schedule.id, { limit: 1, offset: 0 })).items).toMatchObject([
      { id: run.id, outcome: 'started', jobId: job.id },
    ]);
    await expect(trigger.execute(tokenActor(), { ...request, jobType: 'retention' }, origin)).rejects.toEqual(
      code('lease_lost'),
    );
  });
});

describe('cancelling a job', () => {
  const cancel = (id: number, actor: Actor = tokenActor()) => new CancelJob(scene).execute(actor, id);

  test('ends a waiting one at once, frees its lane and tells it', async () => {
    await ask();
    await expect(cancel(1)).resolves.toMatchObject({ status: 'cancelled' });
    expect(scene.kept.events.at(-1)).toMatchObject({ type: 'job.cancelled', jobId: 1 });
    await expect(ask()).resolves.toMatchObject({ id: 2 });
  });

  test('is refused for a job of a hidden server as if there were none', async () => {
    await ask();
    await expect(cancel(1, tokenActor({ serverIds: new Set([2]) }))).rejects.toEqual(code('job_not_found'));
    await expect(cancel(77)).rejects.toEqual(code('job_not_found'));
  });

  test('needs the scope and the feature of the job', async () => {
    await ask();
    await expect(cancel(1, tokenActor({ capabilities: ['read'] }))).rejects.toEqual(code('scope_missing'));
    await expect(cancel(1, tokenActor({ features: ['docker'] }))).rejects.toEqual(
      code('feature_not_allowed'),
    );
  });

  test('is refused for a job that has ended', async () => {
    await ask();
    await cancel(1);
    await expect(cancel(1)).rejects.toEqual(code('job_not_cancellable'));
  });
});
