import { beforeEach, describe, expect, test } from 'vitest';
import { ListWindows } from '../../../src/application/automation/list-windows.ts';
import { MaintenanceGate } from '../../../src/application/automation/maintenance-gate.ts';
import { ManageWindows } from '../../../src/application/automation/manage-windows.ts';
import type { CronClock } from '../../../src/application/ports/automation/cron-clock.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { WindowDescription } from '../../../src/domain/automation/maintenance-window.ts';
import { HOUR, MINUTE } from '../../../src/domain/base/instant.ts';
import { rawSelector } from '../../../src/domain/fleet/host-selector.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const ALL = { limit: 100, offset: 0 };
const operator = Actor.operator('cli:me');

let scene: ApplicationScene;
let manage: ManageWindows;
let list: ListWindows;
beforeEach(async () => {
  scene = applicationScene();
  manage = new ManageWindows(scene);
  list = new ListWindows(scene);
  for (const name of ['one', 'two']) await scene.addServer(name);
});

const add = (over: Partial<WindowDescription> = {}) =>
  manage.add(operator, {
    name: 'noon',
    selector: { all: true },
    opens: { expression: '30 11 * * *', timeZone: 'UTC' },
    durationMs: HOUR,
    ...over,
  });

describe('maintenance windows', () => {
  test('are added, listed with when they are open, and removed, with an audit entry each', async () => {
    await add();
    await add({ name: 'night', opens: { expression: '0 2 * * *', timeZone: 'UTC' } });
    const { items, total } = await list.execute(operator, ALL);
    const noon = scene.clock.now();
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { window: { name: 'night' }, openUntil: null, opensAt: noon + 14 * HOUR },
      {
        window: { name: 'noon', createdBy: 'cli:me' },
        openUntil: noon + 30 * MINUTE,
        opensAt: noon + 23.5 * HOUR,
      },
    ]);
    await manage.remove(operator, 'noon');
    expect((await list.execute(operator, { limit: 1, offset: 0 })).total).toBe(1);
    await expectRefusal(manage.remove(operator, 'noon'), 'window_not_found');
    expect(scene.kept.actions).toEqual([
      'window.add window:1',
      'window.add window:2',
      'window.remove window:1',
    ]);
  });

  test('are read at many times without asking the calendar for each', async () => {
    await add();
    let asked = 0;
    const cron: CronClock = {
      check: (rule, now) => scene.cron.check(rule, now),
      next: (rule, after) => {
        asked += 1;
        return scene.cron.next(rule, after);
      },
      last: (rule, at) => scene.cron.last(rule, at),
    };
    const statesAt = await new MaintenanceGate({ ...scene, cron }).statesAt();
    const opened = scene.clock.now() - 30 * MINUTE;
    const minutes = Array.from({ length: 24 * 60 }, (_, minute) => minute);
    const isOpen = minutes.map((minute) => statesAt(opened + minute * MINUTE)[0]?.openUntil !== null);
    expect(isOpen).toEqual(minutes.map((minute) => minute < 60));
    expect(asked).toBe(1);
    expect(statesAt(opened - MINUTE)).toMatchObject([{ openUntil: null, opensAt: opened }]);
    expect(statesAt(opened + 24 * HOUR)).toMatchObject([{ openUntil: opened + 25 * HOUR }]);
  });

  test('are switched off, where they keep nothing back, and on again', async () => {
    await add({ opens: { expression: '0 2 * * *', timeZone: 'UTC' } });
    const gate = new MaintenanceGate(scene);
    const server = { id: 1, name: 'one', tags: [] };
    await expectRefusal(gate.pass(server, 'os_patch', false), 'outside_maintenance_window');
    expect(await manage.enable(operator, 'noon', false)).toMatchObject({
      window: { enabled: false },
      openUntil: null,
      opensAt: null,
    });
    await gate.pass(server, 'os_patch', false);
    await manage.enable(operator, 'noon', true);
    await expectRefusal(gate.pass(server, 'os_patch', false), 'outside_maintenance_window');
    await expectRefusal(manage.enable(operator, 'none', false), 'window_not_found');
    await expectRefusal(manage.enable(tokenActor(), 'noon', false), 'role_missing');
    expect(scene.kept.actions).toEqual([
      'window.add window:1',
      'window.disable window:1',
      'window.enable window:1',
    ]);
  });

  test('are refused where they make no sense', async () => {
    await expectRefusal(add({ opens: { expression: 'x', timeZone: 'UTC' } }), 'invalid_input');
    await expectRefusal(add({ durationMs: MINUTE }), 'invalid_input');
    await expectRefusal(add({ selector: { ids: [1, 9] } }), 'server_not_found');
    await add();
    await expectRefusal(add(), 'name_taken');
  });

  test('of other servers are not told to a token that is limited to some', async () => {
    await add({ name: 'all' });
    await add({ name: 'both', selector: { ids: [1, 2] } });
    await add({ name: 'other', selector: { ids: [2] } });
    const { items } = await list.execute(tokenActor({ serverIds: new Set([1]) }), ALL);
    expect(items.map(({ window }) => [window.name, window.selector])).toEqual([
      ['all', { by: 'all' }],
      ['both', { by: 'ids', ids: [1] }],
    ]);
    await expectRefusal(list.execute(tokenActor({ capabilities: [] }), ALL), 'read_scope_missing');
  });

  test('by tag are listed with the tags of the servers that a caller may see', async () => {
    await scene.servers.change(1, { tags: ['web', 'prod'] }, 0, () => ({}));
    await scene.servers.change(2, { tags: ['db'] }, 0, () => ({}));
    for (const tags of [['db'], ['prod'], ['db', 'web']])
      await add({ name: tags.join('-'), selector: { tags } });
    const shown = async (actor: Actor) =>
      (await list.execute(actor, ALL)).items.map(({ window }) => [window.name, rawSelector(window.selector)]);
    expect(await shown(tokenActor({ serverIds: new Set([1]) }))).toEqual([
      ['db-web', { tags: ['web'] }],
      ['prod', { tags: ['prod'] }],
    ]);
    expect(await shown(tokenActor({ serverIds: new Set() }))).toEqual([]);
    expect((await shown(operator)).length).toBe(3);
  });
});
