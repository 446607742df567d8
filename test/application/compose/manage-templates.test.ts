import { beforeEach, describe, expect, test } from 'vitest';
import { EemeliYamlText } from '../../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { ManageTemplates } from '../../../src/application/compose/manage-templates.ts';
import { TemplateRenderer } from '../../../src/application/compose/template-renderer.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';

const FILES = [{ path: 'compose.yaml', content: 'services: {}\n' }];

let scene: ApplicationScene;
let manage: ManageTemplates;
beforeEach(() => {
  scene = applicationScene();
  const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
  manage = new ManageTemplates({ ...scene, renderer });
});

describe('templates', () => {
  test('are imported and deleted by the operator at the command line', async () => {
    const operator = Actor.operator('cli:me');
    expect(await manage.import(operator, { name: 'demo' }, FILES)).toMatchObject({
      version: 1,
      createdBy: 'cli:me',
    });
    await manage.remove(operator, 'demo');
    expect(scene.kept.actions).toEqual(['template.import template:1', 'template.remove template:1']);
  });

  test('are changed by no token, whatever it may do, and that it tried is kept', async () => {
    const refused = expect.objectContaining({ code: 'role_missing' });
    await expect(manage.import(tokenActor(), { name: 'demo' }, FILES)).rejects.toEqual(refused);
    await manage.import(Actor.operator('cli:me'), { name: 'demo' }, FILES);
    await expect(manage.remove(tokenActor(), 'demo')).rejects.toEqual(refused);
    expect(await scene.templates.findByName('demo')).not.toBeNull();
    expect(scene.kept.audit.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'template.import role_missing',
      'template.import done',
      'template.remove role_missing',
    ]);
  });

  test('that do not hold together are refused before anything is kept', async () => {
    const broken = [{ path: 'compose.yaml', content: 'x: "@{nope}"\n' }];
    await expect(manage.import(Actor.operator('cli:me'), { name: 'demo' }, broken)).rejects.toThrow(
      'there is no variable named nope',
    );
    expect((await scene.templates.list({ limit: 1, offset: 0 })).total).toBe(0);
  });
});
