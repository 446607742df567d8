import { beforeEach, describe, expect, test } from 'vitest';
import { PatchPolicies } from '../../../src/application/automation/patch-policies.ts';
import { ManageTags } from '../../../src/application/fleet/manage-tags.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { PolicyDescription } from '../../../src/domain/automation/patch-policy.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import type { JobType } from '../../../src/domain/jobs/job-types.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { newSchedule } from '../../support/schedules.ts';

const ALL = { limit: 100, offset: 0 };
const operator = Actor.operator('cli:me');
const NOT_USED = () => Promise.reject(new Error('not in this test'));

let scene: ApplicationScene;
let policies: PatchPolicies;
beforeEach(async () => {
  scene = applicationScene();
  policies = new PatchPolicies(scene);
  for (const name of ['one', 'two']) await scene.addServer(name, { os_patch: true });
});

const add = (over: Partial<PolicyDescription> = {}) =>
  policies.add(operator, { name: 'careful', selector: { all: true }, ...over });

describe('patch policies', () => {
  test('are added, edited and removed, with an audit entry each', async () => {
    const { id } = await add();
    expect(await policies.of({ id: 1, tags: [] })).toMatchObject({ name: 'careful', minAgeMs: 259_200_000 });
    await policies.edit(operator, id, { name: 'strict', selector: { ids: [2] }, securityOnly: true });
    expect(await policies.of({ id: 1, tags: [] })).toBeNull();
    expect(await policies.of({ id: 2, tags: [] })).toMatchObject({ name: 'strict', securityOnly: true });
    await policies.remove(operator, 'strict');
    await expectRefusal(policies.remove(operator, 'strict'), 'policy_not_found');
    expect(scene.kept.actions).toEqual([
      'policy.add policy:1',
      'policy.edit policy:1',
      'policy.remove policy:1',
    ]);
  });

  test('are for operators to change, and name servers that exist', async () => {
    const asked = { name: 'careful', selector: { all: true } };
    await expectRefusal(policies.add(tokenActor(), asked), 'role_missing');
    await expectRefusal(policies.remove(tokenActor(), 'careful'), 'role_missing');
    await expectRefusal(add({ selector: { ids: [9] } }), 'server_not_found');
    await expectRefusal(policies.edit(operator, 9, asked), 'policy_not_found');
  });

  test('are listed without the ids of hidden servers', async () => {
    await add({ name: 'both', selector: { ids: [1, 2] } });
    await add({ name: 'hidden', selector: { ids: [2] } });
    const { items } = await policies.list(tokenActor({ serverIds: new Set([1]) }), ALL);
    expect(items).toMatchObject([{ name: 'both', selector: { ids: [1] } }]);
  });

  test('by tag are listed if a server of the caller has the tag', async () => {
    await scene.servers.change(1, { tags: ['web'] }, 0, () => ({}));
    await add({ name: 'mine', selector: { tags: ['db', 'web'] } });
    await add({ name: 'other', selector: { tags: ['db'] } });
    const { items } = await policies.list(tokenActor({ serverIds: new Set([1]) }), ALL);
    expect(items).toMatchObject([{ name: 'mine', selector: { tags: ['web'] } }]);
  });

  test('follow a tag that is renamed, and keep it from being removed', async () => {
    await scene.servers.change(1, { tags: ['web'] }, 0, () => ({}));
    await add({ selector: { tags: ['web'] } });
    const tags = new ManageTags(scene);
    expect(await tags.list(operator)).toMatchObject([{ tag: 'web', policies: ['careful'] }]);
    await expectRefusal(tags.remove(operator, 'web'), 'invalid_input');
    await tags.rename(operator, 'web', 'edge');
    expect(await scene.policies.list()).toMatchObject([{ selector: { tags: ['edge'] } }]);
  });
});

describe('a policy without a job type', () => {
  const types = ['os_patch', 'host_reboot'] as const;
  const runner = { types, timeLimitMs: MINUTE, plan: NOT_USED, apply: NOT_USED };
  const start = async (jobType: JobType, scheduled: boolean, dryRun = false) => {
    const { id } = await scene.schedules.add(
      newSchedule(`s-${jobType}-${scheduled}-${dryRun}`),
      0,
      () => ({}),
    );
    const schedule = await scene.schedules.find(id);
    const at = { handledTo: scene.clock.now(), dueAt: null, run: scene.clock.now(), missed: [] };
    const run = schedule && (await scene.schedules.stamp(schedule, at));
    const trigger = new TriggerJob({ ...scene, runners: new JobRunners([runner]) });
    return trigger.execute(
      operator,
      { serverId: 1, jobType, dryRun },
      { kind: 'schedule_run', runId: run?.id ?? 0, scheduled },
    );
  };

  test('keeps schedules from starting it, but no user, and no dry run', async () => {
    await add({ scheduledTypes: ['os_patch'] });
    await expectRefusal(start('host_reboot', true), 'held_by_policy');
    expect(await start('host_reboot', true, true)).toMatchObject({ status: 'pending' });
  });

  test('lets a user run it, and schedules start the others', async () => {
    await add({ scheduledTypes: ['os_patch'], selector: { ids: [1] } });
    expect(await start('os_patch', true)).toMatchObject({ jobType: 'os_patch', scheduled: true });
  });
});
