import { describe, expect, it } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import {
  checkPlan,
  driftFrom,
  MAX_PLANNED,
  PACKAGE_PLAN,
  planHint,
  plannedChanges,
  planResult,
} from '../../../src/application/jobs/job-plans.ts';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { changeLine, type PackageChange } from '../../../src/domain/fleet/package-change.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';

const APP: PackageChange = { kind: 'upgrade', name: 'app', from: '1', to: '2', security: false };
const LIB: PackageChange = { kind: 'install', name: 'lib', from: null, to: '1', security: true };
const PARAMS = { sourceFilter: null, service: null, osSteps: ['upgrade'], dryRun: false, planId: 7 } as const;
const ASKED = { serverId: 1, jobType: 'os_patch', params: PARAMS } as const;
const digest = new NodeDigest();

function planJob(changes: readonly PackageChange[] = [APP], over: Partial<Job> = {}): Job {
  const job = {
    id: 7,
    serverId: 1,
    jobType: 'os_patch',
    status: 'success',
    params: { ...PARAMS, dryRun: true, planId: undefined },
    ...over,
  } as Job;
  return { ...job, result: { changes, ...planResult(job, changes.map(changeLine), 0, digest) }, ...over };
}

describe('a plan', () => {
  it('made by a clock that was ahead is not good for months', () => {
    expect(() => checkPlan(planJob(), ASKED, -395 * DAY)).toThrow(
      expect.objectContaining({ code: 'plan_expired' }),
    );
  });

  it('is good for an hour, for what it was made for', () => {
    checkPlan(planJob(), ASKED, HOUR - 1);
    expect(() => checkPlan(planJob(), ASKED, HOUR)).toThrow(
      expect.objectContaining({ code: 'plan_expired' }),
    );
  });

  it.each([
    ['there is none', null],
    ['it is of another server', planJob([], { serverId: 2 })],
    ['it was no dry run', planJob([], { params: PARAMS })],
    ['it failed', planJob([], { status: 'failed' })],
    ['it runs still', planJob([], { status: 'running', result: null })],
    ['it was of another type', planJob([], { jobType: 'retention' })],
    ['it had other parameters', planJob([], { params: { ...PARAMS, osSteps: ['update'], dryRun: true } })],
    ['it carries no plan', planJob([], { result: { dry_run: true } })],
  ])('is refused where %s', (_why, plan) => {
    expect(() => checkPlan(plan, ASKED, 1)).toThrow(expect.objectContaining({ code: 'plan_not_found' }));
  });

  it('has a digest over server, type, parameters and changes, and none of what does not matter', () => {
    const of = (changes: readonly PackageChange[], over: Partial<Job> = {}) =>
      planResult(planJob(changes, over), changes.map(changeLine), 0, digest).digest;
    const same = of([APP, LIB]);
    expect(of([APP, { ...LIB, security: false }], { id: 8 })).toBe(same);
    const others = [
      of([APP]),
      of([APP, { ...LIB, to: '2' }]),
      of([APP, LIB], { serverId: 2 }),
      of([APP, LIB], { params: { ...PARAMS, osSteps: ['update'] } }),
    ];
    expect(new Set([same, ...others]).size).toBe(5);
  });

  it('is not made if it could not be shown whole', () => {
    const many = Array.from({ length: MAX_PLANNED + 1 }, (_, n) => ({ ...APP, name: `app${n}` }));
    expect(planResult(planJob(), many.map(changeLine), 0, digest)).toEqual({
      plan_id: null,
      plan_expires_at: null,
      digest: null,
    });
  });

  it('gives its changes back, and refuses where they are gone', () => {
    expect(plannedChanges(planJob([APP, LIB]), PACKAGE_PLAN)).toEqual([APP, LIB]);
    for (const plan of [null, planJob([], { result: null }), planJob([], { result: { changes: [{}] } })]) {
      expect(() => plannedChanges(plan, PACKAGE_PLAN)).toThrow(
        expect.objectContaining({ code: 'plan_not_found' }),
      );
    }
  });

  it('differs from what would be done now by what is gone and what came', () => {
    expect(driftFrom([APP], [{ ...APP, security: true }], PACKAGE_PLAN)).toBeNull();
    expect(driftFrom([APP], [LIB], PACKAGE_PLAN)).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { drift_count: 2, no_longer: [APP], instead: [LIB] },
    });
  });

  it('says in words how it differs, and of much that it is more', () => {
    const words = (...changes: Parameters<typeof driftFrom<PackageChange>>) =>
      driftFrom(...changes)?.failure.message;
    expect(words([APP], [LIB], PACKAGE_PLAN)).toBe(
      'The host has changed since the dry run: no longer needed: app 1 -> 2; now also needed: lib (new) -> 1 [security]. Nothing was changed. Do another dry run and review its plan.',
    );
    const many = Array.from({ length: 5 }, (_, n) => ({ ...APP, name: `app${n}` }));
    expect(words([], many, PACKAGE_PLAN)).toContain(
      ': now also needed: app0 1 -> 2, app1 1 -> 2, app2 1 -> 2 and 2 more.',
    );
  });

  it('names the differences to its request', () => {
    const plan = planJob([], { params: { ...PARAMS, osSteps: ['update', 'upgrade'], dryRun: true } });
    expect(() => checkPlan(plan, ASKED, 1)).toThrow(
      /with os_steps update, upgrade; repeat that with plan_id/,
    );
  });

  it('is shown with how it is used, and if there is none, that there is none', () => {
    expect(planHint({ plan_id: 7, plan_expires_at: '2026-11-22T06:00:00.000Z' })).toBe(
      'To apply exactly this plan, start the job with the same parameters and plan 7 before 2026-11-22 06:00 UTC.',
    );
    expect(planHint({ plan_id: null, plan_expires_at: null })).toMatch(/^The plan is too long/);
    expect(planHint({ dry_run: true, updates: [] })).toBeNull();
  });
});
