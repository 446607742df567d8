import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RULES } from '../../../src/domain/automation/patch-policy.ts';
import { ContainerScene } from './container-scene.ts';

let scene: ContainerScene;
beforeEach(() => {
  scene = new ContainerScene();
});

const update = (service: string, to: string) => ({
  kind: 'image',
  directory: '/srv/stacks/shop',
  service,
  image: 'registry.test/app:1',
  from: expect.stringMatching(/^sha256:/),
  to,
});

describe('a container update check', () => {
  it('lists the services with an update, from which digest to which, and stores that', async () => {
    scene.up(['web']);
    const to = scene.engine.containers.publish(scene.app, 'v2');
    const done = await scene.apply('container_update_check');
    expect(done).toMatchObject({
      summary: 'Updates for 1 service in 1 Compose project.',
      result: {
        updates_count: 1,
        unknown_count: 0,
        services: [
          { directory: scene.shop, service: 'web', image: scene.app, update: true, to, reason: null },
        ],
      },
      facts: { containerUpdatesCount: 1, lastContainerCheckAt: scene.clock.now() },
    });
    expect(scene.saved?.containers).toMatchObject([{ name: 'shop-web-1', update: true }]);
  });

  it('says so if it does not know, and why', async () => {
    scene.up(['web']);
    scene.engine.containers.silent.set(scene.app, 'The registry wants credentials.');
    expect(await scene.apply('container_update_check')).toMatchObject({
      summary: expect.stringContaining('Unknown for 1 container.'),
      result: { unknown_count: 1, services: [{ update: null, reason: 'The registry wants credentials.' }] },
      facts: { containerUpdatesCount: 0 },
    });
  });

  it('asks no registry in a dry run', async () => {
    scene.up();
    scene.engine.containers.silent.set(scene.app, 'asked');
    expect(await scene.plan('container_update_check')).toMatchObject({
      result: { dry_run: true, images: [scene.app] },
    });
    expect(scene.saved).toBeNull();
  });

  it('of a project that the host does not have is refused, and says which there are', async () => {
    scene.up();
    await expect(scene.apply('container_update_check', { sourceFilter: '/etc' })).rejects.toMatchObject({
      code: 'project_not_found',
      message: expect.stringContaining(scene.shop),
    });
  });
});

describe('a container patch', () => {
  it('gives services their newer images, and the inventory knows', async () => {
    scene.up();
    const to = scene.engine.containers.publish(scene.app, 'v2');
    await scene.apply('container_update_check');
    const done = await scene.apply('container_patch');
    expect(done).toMatchObject({
      summary: 'Updated 2 services in 1 Compose project to newer images.',
      result: { changes: [update('db', to), update('web', to)], rolled_back: false, left_alone: [] },
      facts: { containerUpdatesCount: 0 },
      failure: null,
    });
    expect(scene.saved?.containers?.map(({ update: is }) => is)).toEqual([false, false]);
    await done.afterwards?.();
  });

  it('says that it rolled back what did not become healthy, and that nothing changed', async () => {
    scene.up(['web']);
    const before = scene.running();
    scene.engine.containers.publish(scene.app, 'v2', { healthy: false });
    expect(await scene.apply('container_patch')).toMatchObject({
      result: {
        changes: [],
        rolled_back: true,
        projects: [{ directory: scene.shop, state: 'rolled_back', reason: 'web became unhealthy.' }],
      },
      failure: { code: 'deploy_failed', message: expect.stringContaining('web became unhealthy') },
    });
    expect(scene.running()).toEqual(before);
  });

  it('touches one service alone if asked to', async () => {
    scene.up();
    const to = scene.engine.containers.publish(scene.app, 'v2');
    const done = await scene.apply('container_patch', { sourceFilter: `${scene.shop}/`, service: 'web' });
    expect(done.result).toMatchObject({ changes: [update('web', to)] });
  });

  it('leaves images that the patch policy excludes', async () => {
    scene.up();
    scene.engine.containers.publish(scene.app, 'v2');
    const exclusions = [{ kind: 'image', pattern: scene.app, reason: 'Needs a dump', until: null }] as const;
    scene.policy = { ...DEFAULT_RULES, name: 'careful', exclusions } as never;
    const left = { reason: 'Excluded by the policy careful: Needs a dump' };
    expect(await scene.apply('container_patch')).toMatchObject({
      result: { changes: [], left_alone: [left, left] },
    });
  });

  it('leaves alone what is stopped, unknown or edited, and says why', async () => {
    scene.up(['db', 'old', 'web']);
    scene.engine.containers.publish(scene.app, 'v2');
    for (const each of scene.engine.containers.of(scene.shop, ['db'])) each.running = false;
    scene.write({ db: { image: scene.app }, web: { image: 'registry.test/other:2' } });
    const before = scene.running();
    expect(await scene.apply('container_patch')).toMatchObject({
      summary: expect.stringMatching(/^No service has an update that can be installed; 3 left alone/),
      result: {
        changes: [],
        left_alone: [
          { service: 'db', reason: 'It is stopped, and will stay stopped.' },
          { service: 'old', reason: expect.stringContaining('no longer contain it') },
          { service: 'web', reason: expect.stringContaining('another image') },
        ],
      },
    });
    expect(scene.running()).toEqual(before);
    expect(scene.runs.started).toEqual([]);
  });

  it('by plan does just that, and nothing where the registry has moved on', async () => {
    scene.up(['web']);
    const to = scene.engine.containers.publish(scene.app, 'v2');
    const dry = await scene.plan('container_patch');
    expect(dry.result).toMatchObject({ plan_id: 7, changes: [update('web', to)] });
    const planId = scene.keep('container_patch', dry);
    scene.engine.containers.publish(scene.app, 'v3');
    expect(await scene.apply('container_patch', { planId })).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { drift_count: 2, no_longer: [update('web', to)], changes: [] },
    });
    scene.engine.containers.publish(scene.app, 'v2');
    expect(await scene.apply('container_patch', { planId })).toMatchObject({
      failure: null,
      result: { plan_id: planId, changes: [update('web', to)] },
    });
  });

  it('that another worker started is followed, and not planned again', async () => {
    scene.up(['web']);
    const from = scene.engine.containers.publish(scene.app, 'v2');
    const change = { directory: scene.shop, service: 'web', image: scene.app, from, to: from };
    const project = { directory: scene.shop, state: 'done', changes: [change], reason: null };
    const result = JSON.stringify({ projects: [project], code: null });
    const done = await scene.takeUp('container_patch', { exitCode: 0, result });
    expect(done).toMatchObject({ failure: null, result: { changes: [change] } });
    expect(scene.runs.started).toHaveLength(1);
  });
});

describe('a stack', () => {
  const at = { sourceFilter: '/srv/stacks/shop' };

  it('is checked: what runs, what does not, and what differs from the files', async () => {
    scene.up();
    scene.write({ web: { image: 'registry.test/other:2' }, new: { image: scene.app } });
    expect(await scene.apply('docker_stack_check', at)).toMatchObject({
      result: {
        services: [
          { name: 'web', state: 'running', drift: true },
          { name: 'new', state: 'missing', drift: true },
        ],
        orphans: ['db'],
        drifted: true,
      },
    });
  });

  it('is deployed: a plan names each change, and the job makes them', async () => {
    scene.up();
    scene.engine.containers.publish('registry.test/other:2', 'other');
    scene.write({ web: { image: 'registry.test/other:2' }, new: { image: scene.app } });
    const dry = await scene.plan('docker_stack_deploy', at);
    expect(dry.result['changes']).toMatchObject([
      { kind: 'remove', service: 'db' },
      { kind: 'create', service: 'new', image: scene.app },
      { kind: 'recreate', service: 'web', image: 'registry.test/other:2' },
    ]);
    const planId = scene.keep('docker_stack_deploy', dry, at);
    const done = await scene.apply('docker_stack_deploy', { ...at, planId });
    expect(done).toMatchObject({ failure: null, result: { changes_count: 3 } });
    expect(await scene.plan('docker_stack_deploy', at)).toMatchObject({ result: { changes: [] } });
  });

  it('that never ran is found in a directory that the server was given, and deployed', async () => {
    scene.engine.containers.publish(scene.app, 'v1');
    scene.write({ web: { image: scene.app } });
    await expect(scene.apply('docker_stack_deploy', at)).rejects.toMatchObject({ code: 'project_not_found' });
    scene.composeDirs = ['/srv/stacks'];
    expect(await scene.apply('docker_stack_deploy', at)).toMatchObject({ failure: null });
    expect(scene.running()).toHaveLength(1);
  });

  it('is stopped, started and restarted, and left alone where there is nothing to do', async () => {
    scene.up(['web']);
    expect(await scene.apply('docker_stack_stop', at)).toMatchObject({
      result: { changes: [{ kind: 'stop', service: 'web' }] },
    });
    expect(await scene.plan('docker_stack_stop', at)).toMatchObject({ result: { changes: [] } });
    expect(await scene.plan('docker_stack_start', at)).toMatchObject({
      result: { changes: [{ kind: 'start', service: 'web' }] },
    });
  });

  it('that is as it was asked for, but not healthy, is not said to be well', async () => {
    scene.up(['web', 'db']);
    scene.engine.containers.publish(scene.app, 'v1', { healthy: false });
    const done = await scene.apply('docker_stack_deploy', at);
    expect(done.summary).toBe(
      'Nothing to do: the project is already in the requested state. But not healthy: web, db.',
    );
    const one = await scene.apply('docker_stack_deploy', { ...at, service: 'db' });
    expect(one.summary).toContain('But not healthy: db.');
  });

  it('has no service of a name that it does not have', async () => {
    scene.up(['web']);
    await expect(scene.apply('docker_stack_restart', { ...at, service: '$(id)' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('it has web'),
    });
  });
});
