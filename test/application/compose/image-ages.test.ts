import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RULES } from '../../../src/domain/automation/patch-policy.ts';
import { DAY, HOUR, toIso } from '../../../src/domain/base/instant.ts';
import { ContainerScene } from './container-scene.ts';

let scene: ContainerScene;
beforeEach(() => {
  scene = new ContainerScene();
  scene.scheduled = true;
  scene.policy = { ...DEFAULT_RULES, name: 'careful' } as never;
  scene.up(['web']);
});

/** A newer image that says when it was built; `null`: it does not. */
function publish(edition: string, builtAgoMs: number | null): string {
  const digest = scene.engine.containers.publish(scene.app, edition);
  const createdAt = builtAgoMs === null ? null : scene.clock.now() - builtAgoMs;
  const facts = { createdAt, version: null, changelogUrl: null };
  scene.engine.facts.set(`registry.test/app@${digest}`, facts);
  return digest;
}

const held = (until: number) => ({
  directory: scene.shop,
  service: 'web',
  reason: expect.stringContaining('careful requires 72 hours'),
  until: toIso(until),
});

describe('the minimum age of an image', () => {
  it('keeps a schedule from installing one of an hour, and lets it install one of four days', async () => {
    const before = scene.running();
    publish('v2', HOUR);
    expect(await scene.apply('container_patch')).toMatchObject({
      result: { changes: [], left_alone: [held(scene.clock.now() + 71 * HOUR)] },
    });
    expect(scene.running()).toEqual(before);
    const to = publish('v3', 4 * DAY);
    expect(await scene.apply('container_patch')).toMatchObject({
      failure: null,
      result: { changes: [{ service: 'web', to }], left_alone: [] },
    });
  });

  it('does not hold back jobs that a user starts, unless the policy says so', async () => {
    scene.scheduled = false;
    publish('v2', HOUR);
    expect((await scene.plan('container_patch')).result).toMatchObject({ changes_count: 1 });
    scene.policy = { ...DEFAULT_RULES, name: 'careful', minAgeByHandMs: 72 * HOUR } as never;
    const { result } = await scene.plan('container_patch');
    expect(result).toMatchObject({ changes: [], left_alone: [held(scene.clock.now() + 71 * HOUR)] });
    expect(scene.lines.some((line) => line.includes('Held back until'))).toBe(true);
  });

  it.each([
    ['a check has seen it', 'container_update_check'],
    ['a job has seen it', 'container_patch'],
  ] as const)('counts from when %s, if the image does not say when it was built', async (_what, jobType) => {
    publish('v2', null);
    const seenAt = scene.clock.now();
    await scene.apply(jobType);
    expect(scene.saved?.containers).toMatchObject([{ latest: { since: seenAt } }]);
    await scene.clock.advance(71 * HOUR);
    expect(await scene.apply('container_patch')).toMatchObject({
      result: { changes: [], left_alone: [held(seenAt + 72 * HOUR)] },
    });
    await scene.clock.advance(HOUR);
    expect(await scene.apply('container_patch')).toMatchObject({ result: { changes_count: 1 } });
  });

  it('counts again for each digest, and not from a time to come', async () => {
    publish('v2', null);
    await scene.apply('container_update_check');
    await scene.clock.advance(80 * HOUR);
    publish('v3', -HOUR);
    expect(await scene.apply('container_patch')).toMatchObject({
      result: { changes: [], left_alone: [held(scene.clock.now() + 72 * HOUR)] },
    });
  });

  it('holds in a job with a plan what the dry run held, whatever its age is by now', async () => {
    publish('v2', 72 * HOUR - 1);
    const dry = await scene.plan('container_patch');
    expect(dry.result).toMatchObject({ changes: [], left_alone: [{ service: 'web' }] });
    const planId = scene.keep('container_patch', dry);
    await scene.clock.advance(HOUR);
    expect(await scene.apply('container_patch', { planId })).toMatchObject({ result: { changes: [] } });
    expect(await scene.apply('container_patch')).toMatchObject({ result: { changes_count: 1 } });
  });
});
