import { describe, expect, it } from 'vitest';
import {
  canBeTakenUp,
  isActive,
  isCancellable,
  isTerminal,
  JOB_STATUSES,
  type JobParams,
  MAX_CLAIMS,
  requestJob,
} from '../../../src/domain/jobs/job.ts';
import { JOB_TYPES, laneOf, lanesCollide, mayWait, mustWaitFor } from '../../../src/domain/jobs/job-types.ts';

const params = (sourceFilter: string | null): JobParams => ({
  sourceFilter,
  service: null,
  osSteps: null,
  dryRun: false,
});

/** Every lane, and two projects' lanes. */
const LANES = [
  ...new Set(JOB_TYPES.flatMap((type) => [laneOf(type, params('/srv/a')), laneOf(type, params('/srv/b'))])),
];
const PAIRS = LANES.flatMap((one) => LANES.map((other) => [one, other] as const));

describe('lanes', () => {
  it('are one for each type, and one for each compose project', () => {
    expect(LANES).toEqual([
      'backup',
      'retention',
      'os_patch',
      'container_patch',
      'os_update_check',
      'container_update_check',
      'host_reboot',
      'stack:/srv/a',
      'stack:/srv/b',
      'snapshot_verify',
      'restore',
      'dump_restore',
      'os_downgrade',
    ]);
    expect(laneOf('template_deploy', params('/srv/a'))).toBe(laneOf('docker_stack_stop', params('/srv/a')));
    expect(laneOf('backup', params('/srv/a'))).toBe(laneOf('backup', params(null)));
  });

  it.each(PAIRS)('%s and %s treat each other alike', (one, other) => {
    expect(lanesCollide(one, other)).toBe(lanesCollide(other, one));
    expect(mustWaitFor(one, other)).toBe(mustWaitFor(other, one));
  });

  it('collide with themselves, and a reboot with all', () => {
    const colliding = PAIRS.filter(([one, other]) => lanesCollide(one, other));
    expect(colliding).toEqual(
      PAIRS.filter(([one, other]) => one === other || `${one}|${other}`.includes('host_reboot')),
    );
  });

  // A claim checks for running jobs on a server only for lanes that require it.
  it('that may have to wait beside lanes they were accepted with say that they may wait', () => {
    const waiting = PAIRS.filter(([one, other]) => !lanesCollide(one, other) && mustWaitFor(one, other));
    expect(waiting.length).toBeGreaterThan(0);
    for (const [one, other] of waiting) expect([mayWait(one), mayWait(other)]).toEqual([true, true]);
  });

  it('that change the host exclude each other, while checks run beside them, and backups beside most', () => {
    const waits = (one: string): string[] =>
      LANES.filter((other) => mustWaitFor(one, other) && one !== other);
    expect(waits('os_patch')).toEqual([
      'container_patch',
      'host_reboot',
      'stack:/srv/a',
      'stack:/srv/b',
      'restore',
      'dump_restore',
      'os_downgrade',
    ]);
    expect(waits('stack:/srv/a')).toEqual([
      'os_patch',
      'container_patch',
      'host_reboot',
      'stack:/srv/b',
      'restore',
      'dump_restore',
      'os_downgrade',
    ]);
    expect(waits('backup')).toEqual(['container_patch', 'host_reboot']);
    expect(waits('os_update_check')).toEqual(['host_reboot']);
  });
});

describe('statuses', () => {
  it('are waiting, active or terminal', () => {
    expect(JOB_STATUSES.filter(isActive)).toEqual(['pending', 'running']);
    expect(JOB_STATUSES.filter(isTerminal)).toEqual(['success', 'failed', 'cancelled']);
  });

  it('can be cancelled until the job ends, once', () => {
    const cancellable = JOB_STATUSES.filter((status) => isCancellable({ status, cancelRequestedAt: null }));
    expect(cancellable).toEqual(['awaiting_approval', 'pending', 'running']);
    expect(isCancellable({ status: 'running', cancelRequestedAt: 1 })).toBe(false);
  });

  it('start with approval if it is required', () => {
    const request = {
      server: { id: 3, name: 'web' },
      type: 'docker_stack_stop',
      params: params('/srv/a'),
      requestedBy: 'me',
      scheduled: true,
      at: 5,
    } as const;
    const requester = { kind: 'token', id: 5, name: 'agent', address: null, label: 'token:agent' } as const;
    const approval = { requester, expiresAt: 9 };
    expect(requestJob({ ...request, approval })).toMatchObject({ status: 'awaiting_approval', approval });
    expect(requestJob({ ...request, approval: null })).toEqual({
      serverId: 3,
      serverName: 'web',
      jobType: 'docker_stack_stop',
      lane: 'stack:/srv/a',
      status: 'pending',
      params: params('/srv/a'),
      createdAt: 5,
      scheduled: true,
      requestedBy: 'me',
      requester: null,
      reason: null,
    });
  });
});

it('is taken up again where it left something, a limited number of times', () => {
  expect(canBeTakenUp(null, 1)).toBe(false);
  expect(canBeTakenUp('runs/1', 1)).toBe(true);
  expect(canBeTakenUp('runs/1', MAX_CLAIMS)).toBe(false);
});
