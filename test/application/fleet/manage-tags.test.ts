import { beforeEach, describe, expect, test } from 'vitest';
import { ManageTags } from '../../../src/application/fleet/manage-tags.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { InvalidInput } from '../../../src/domain/base/errors.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const operator = Actor.operator('cli:me');
const CRON = { expression: '0 2 * * *', timeZone: 'UTC' };

let scene: ApplicationScene;
let tags: ManageTags;
beforeEach(async () => {
  scene = applicationScene();
  tags = new ManageTags(scene);
  for (const [name, own] of [
    ['one', ['stage', 'web']],
    ['two', ['staging', 'stage']],
    ['three', ['db']],
  ] as const) {
    const { id } = await scene.addServer(name);
    await scene.servers.change(id, { tags: own }, 1, () => ({}));
  }
  await scene.windows.add(
    {
      name: 'night',
      selector: { by: 'tags', tags: ['db', 'stage'] },
      opens: CRON,
      durationMs: HOUR,
      enabled: true,
      createdBy: 'x',
      createdAt: 1,
    },
    () => ({}),
  );
});

const tagsOfAll = async () =>
  (await scene.servers.list({}, { limit: 9, offset: 0 })).items.map(
    ({ name, tags: own }) => `${name}: ${own.toSorted().join()}`,
  );

describe('tags of the fleet', () => {
  test('are listed with the servers that have them, and what selects by them', async () => {
    expect(await tags.list(operator)).toEqual([
      { tag: 'stage', servers: 2, schedules: [], windows: ['night'], policies: [] },
      { tag: 'db', servers: 1, schedules: [], windows: ['night'], policies: [] },
      { tag: 'staging', servers: 1, schedules: [], windows: [], policies: [] },
      { tag: 'web', servers: 1, schedules: [], windows: [], policies: [] },
    ]);
  });

  test('are renamed and merged on every server and in every selector', async () => {
    expect(await tags.rename(operator, 'stage', 'staging')).toBe(2);
    expect(await tagsOfAll()).toEqual(['one: staging,web', 'three: db', 'two: staging']);
    expect((await scene.windows.list())[0]).toMatchObject({
      name: 'night',
      durationMs: HOUR,
      selector: { by: 'tags', tags: ['db', 'staging'] },
    });
    expect(scene.kept.actions.filter((each) => each === 'server.edit server:1')).toHaveLength(1);
  });

  test('that nothing selects by are removed from every server', async () => {
    expect(await tags.remove(operator, 'web')).toBe(1);
    expect(await tagsOfAll()).toEqual(['one: stage', 'three: db', 'two: stage,staging']);
  });

  test.each([
    ['/to', () => tags.rename(operator, 'web', 'Web')],
    ['/to', () => tags.rename(operator, 'web', 'web')],
    ['/tag', () => tags.rename(operator, 'none', 'other')],
    ['/tag', () => tags.remove(operator, 'none')],
    ['/tag', () => tags.remove(operator, 'db')],
  ])('are refused at %s', async (path, change) => {
    const before = await tagsOfAll();
    const error = await change().catch((fault: unknown) => fault);
    expect((error as InvalidInput).problems.map((problem) => problem.path)).toEqual([path]);
    expect(await tagsOfAll()).toEqual(before);
  });

  test('are changed by operators only', async () => {
    const agent = tokenActor({ capabilities: ['read', 'jobs', 'edit'] });
    await expectRefusal(tags.rename(agent, 'web', 'www'), 'role_missing');
    await expectRefusal(tags.remove(agent, 'web'), 'role_missing');
  });
});
