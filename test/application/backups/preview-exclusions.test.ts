import { beforeEach, describe, expect, test } from 'vitest';
import { PreviewExclusions } from '../../../src/application/backups/preview-exclusions.ts';
import { Actor, type ActorProps } from '../../../src/domain/access/actor.ts';
import { fakePreviews } from '../../fakes/fake-exclusion-survey.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const { signal } = new AbortController();

describe('A preview of what a source leaves out', () => {
  let scene: ApplicationScene;
  let fakes: ReturnType<typeof fakePreviews>;
  let opened: number;
  let preview: PreviewExclusions;
  beforeEach(async () => {
    scene = applicationScene();
    fakes = fakePreviews();
    opened = 0;
    const release = () => {
      opened -= 1;
    };
    const open = async () => {
      opened += 1;
      return { release } as never;
    };
    preview = new PreviewExclusions({ ...scene, ...fakes, opener: { open } });
    await scene.addServer('web', { backup: true }, 'ssh');
    await scene.addServer('here', { backup: true }, 'local');
    for (const id of [1, 2]) await scene.addSource(id, 'www');
  });

  const actor = (props: Partial<ActorProps>) =>
    new Actor({
      kind: 'token',
      id: 1,
      name: 'bot',
      address: null,
      capabilities: new Set(['read', 'edit']),
      features: null,
      serverIds: null,
      requireApproval: false,
      ...props,
    });
  const asked = { name: 'www', excludes: ['*.tmp'] };

  test('is for those who may change sources, and for tokens of what operators have chosen', async () => {
    const token = actor({});
    expect(await preview.execute(token, 1, asked, signal)).toMatchObject({
      preview: { leftOut: { files: 1 } },
    });
    expect(opened).toBe(0);
    for (const free of [{ paths: ['/'] }, { name: 'www', paths: ['/'] }]) {
      await expectRefusal(preview.execute(token, 1, free, signal), 'role_missing');
    }
    const reader = actor({ capabilities: new Set(['read', 'jobs', 'files']) });
    await expectRefusal(preview.execute(reader, 1, asked, signal), 'scope_missing');
    const other = actor({ features: ['os'] });
    await expectRefusal(preview.execute(other, 1, asked, signal), 'feature_not_allowed');
    const elsewhere = actor({ serverIds: new Set([2]) });
    await expectRefusal(preview.execute(elsewhere, 1, asked, signal), 'server_not_found');
    const viewer = actor({ kind: 'user', role: 'viewer' });
    await expectRefusal(preview.execute(viewer, 1, asked, signal), 'role_missing');
    expect(fakes.survey.asked).toHaveLength(1);
  });

  test("of the service's own machine is for those who control that", async () => {
    await expectRefusal(preview.execute(actor({}), 2, asked, signal), 'own_machine_restricted');
    const operator = actor({ kind: 'user', role: 'operator' });
    await expectRefusal(preview.execute(operator, 2, { paths: ['/'] }, signal), 'own_machine_restricted');
    const root = actor({ kind: 'user', role: 'administrator' });
    await expectRefusal(preview.execute(root, 2, asked, signal), 'confirmation_needed');
    await preview.execute(Actor.operator('root'), 2, { paths: ['/'] }, signal);
    expect(fakes.survey.asked).toHaveLength(1);
  });

  test('refuses what could not be saved, and leaves out what a backup of the service leaves out', async () => {
    const operator = Actor.operator('root');
    await expectRefusal(preview.execute(operator, 1, { paths: ['srv'] }, signal), 'invalid_input');
    await expectRefusal(preview.execute(operator, 1, { excludes: ['a'] }, signal), 'invalid_input');
    await expectRefusal(preview.execute(operator, 1, { name: 'gone' }, signal), 'source_not_found');
    const [source] = await scene.sources.ofServer(2);
    if (!source) throw new Error('no source');
    scene.kept.change('backup_sources', source.id, { kind: 'service' });
    await preview.execute(operator, 2, { name: 'www' }, signal);
    expect(fakes.survey.asked).toMatchObject([
      { source: { kind: 'service', paths: ['/var/lib/drover'] }, extraExcludes: fakes.serviceData.excludes },
    ]);
  });
});
