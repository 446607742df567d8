import { beforeEach, expect, test } from 'vitest';
import { RestartUnhealthy } from '../../../src/application/automation/restart-unhealthy.ts';
import { StartPolicyJob } from '../../../src/application/automation/start-policy-job.ts';
import { DEFAULT_RULES, type NewPatchPolicy } from '../../../src/domain/automation/patch-policy.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import type { ContainerHealth } from '../../../src/domain/compose/compose.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

const { signal } = new AbortController();
const SHOP = '/srv/shop';

let scene: ApplicationScene;
/** Of the service web of the shop on each server; those without are healthy. */
let health: Map<string, ContainerHealth>;
let surveyed: string[];
let started: string[];
let refusal: DomainError | null;
let problem: string | null;
/** This server's engine does not answer. */
let fails: string | null;
beforeEach(async () => {
  scene = applicationScene();
  [health, surveyed, started, refusal, problem, fails] = [new Map(), [], [], null, null, null];
  for (const name of ['web', 'db']) await scene.addServer(name, { docker: true });
});

const restart = (startPolicyJob?: StartPolicyJob) =>
  new RestartUnhealthy({
    ...scene,
    opener: { open: async ({ name }: { name: string }) => ({ name, release: () => {} }) as never },
    engine: {
      survey: async (host: unknown) => {
        const { name } = host as { name: string };
        surveyed.push(name);
        if (name === fails) throw new DomainError('host_command_failed', 'no engine');
        const services = ['web', 'db'].map((service) => ({
          name: service,
          health: service === 'web' ? (health.get(name) ?? 'healthy') : null,
        }));
        return { projects: [{ directory: SHOP, project: 'shop', problem, services }] } as never;
      },
    },
    startPolicyJob: startPolicyJob ?? {
      execute: async ({ server, params }) => {
        if (refusal) throw refusal;
        started.push(`${server.name} ${params.sourceFilter} ${params.service}`);
        return {} as never;
      },
    },
  });
const check = async (times = 1): Promise<void> => {
  for (let n = 0; n < times; n += 1) {
    await restart().execute(signal);
    await scene.clock.advance(MINUTE);
  }
};
const policy = (over: Partial<NewPatchPolicy> = {}) =>
  scene.policies.add(
    {
      name: 'restarts',
      selector: { by: 'all' },
      ...DEFAULT_RULES,
      restartUnhealthy: { checks: 2, perDay: 2 },
      createdBy: 'cli:me',
      createdAt: scene.clock.now(),
      ...over,
    },
    () => ({}),
  );

test('checks no server without such a rule, without the feature, or that is unreachable', async () => {
  await policy({ restartUnhealthy: null });
  await scene.addServer('off', { docker: false });
  await check();
  expect(surveyed).toEqual([]);
  const { id } = await policy({ name: 'own', selector: { by: 'ids', ids: [1] } });
  await check();
  expect(surveyed).toEqual(['web']);
  await scene.servers.learn(1, { contactError: 'host_timeout', contactFailedSince: scene.clock.now() });
  await check();
  expect(surveyed).toEqual(['web']);
  await scene.policies.remove(id, {});
  await policy({ name: 'aa-all' });
  surveyed = [];
  await check();
  // The first by name of equally specific policies.
  expect(surveyed).toEqual(['db']);
});

test('restarts a service after checks in a row, as often as the rule allows, and then gives it up', async () => {
  await policy();
  health.set('web', 'unhealthy');
  await check();
  expect(started).toEqual([]);
  await check(3);
  expect(started).toEqual([`web ${SHOP} web`, `web ${SHOP} web`]);
  expect((await scene.watchedServices.ofServer(1))[0]?.gaveUpAt).toBeNull();
  await check(3);
  expect(started).toHaveLength(2);
  expect(await scene.watchedServices.ofServer(1)).toMatchObject([
    { directory: SHOP, service: 'web', checks: 2, gaveUpAt: expect.any(Number) },
  ]);
  health.delete('web');
  await check();
  expect(await scene.watchedServices.ofServer(1)).toMatchObject([{ checks: 0, gaveUpAt: null }]);
  expect(await scene.watchedServices.ofServer(2)).toEqual([]);
});

test('restarts only services of the projects that the rule names', async () => {
  const { id } = await policy({ restartUnhealthy: { checks: 1, perDay: 1, projects: ['blog'] } });
  health.set('web', 'unhealthy');
  await check(2);
  expect(started).toEqual([]);
  expect(await scene.watchedServices.ofServer(1)).toEqual([]);
  await scene.policies.remove(id, {});
  await policy({ restartUnhealthy: { checks: 1, perDay: 1, projects: ['blog', 'shop'] } });
  await check();
  expect(started).toEqual([`web ${SHOP} web`]);
});

test('does not count a restart that has to wait, and asks for it again', async () => {
  await policy();
  health.set('web', 'unhealthy');
  refusal = new DomainError('outside_maintenance_window', 'closed');
  await check(5);
  expect((await scene.watchedServices.ofServer(1))[0]?.restarts).toEqual([]);
  refusal = null;
  await check();
  expect(started).toHaveLength(1);
});

test('leaves a project alone that Drover cannot work with, and one whose rule is gone', async () => {
  const { id } = await policy();
  health.set('web', 'unhealthy');
  problem = 'Its directory is missing.';
  await check(3);
  expect(started).toEqual([]);
  problem = null;
  await check();
  expect(await scene.watchedServices.ofServer(1)).toHaveLength(1);
  await scene.policies.remove(id, {});
  await check();
  expect(await scene.watchedServices.ofServer(1)).toEqual([]);
});

test('requests a job of the service alone, with the reason, in the name of the policies', async () => {
  await policy({ restartUnhealthy: { checks: 1, perDay: 1 } });
  health.set('web', 'unhealthy');
  await restart(new StartPolicyJob(scene)).execute(signal);
  const { items } = await scene.jobs.list({}, { limit: 10, offset: 0 });
  expect(items).toMatchObject([
    {
      serverName: 'web',
      jobType: 'docker_stack_restart',
      status: 'pending',
      requestedBy: 'policies',
      params: { sourceFilter: SHOP, service: 'web', dryRun: false },
      reason: expect.stringContaining('restarts'),
    },
  ]);
});

test('goes on with other servers if one fails', async () => {
  await policy({ restartUnhealthy: { checks: 1, perDay: 1 } });
  health.set('db', 'unhealthy');
  fails = 'web';
  await check();
  expect(started).toEqual([`db ${SHOP} web`]);
  expect(scene.log.messages('warn')).toHaveLength(1);
});
