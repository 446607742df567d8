import { beforeEach, describe, expect, it } from 'vitest';
import { OsUpdateCheckRunner } from '../../../src/application/fleet/os-update-check-runner.ts';
import { RefreshInventory } from '../../../src/application/fleet/refresh-inventory.ts';
import type { Inventory } from '../../../src/domain/fleet/inventory.ts';
import { UNKNOWN_FACTS } from '../../../src/domain/fleet/server.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeHost } from '../../fakes/fake-host.ts';
import { FakeHostFacts, fakeInventory } from '../../fakes/fake-host-facts.ts';
import { FakePackageManager } from '../../fakes/fake-package-manager.ts';
import { inventoryOf } from '../../support/inventories.ts';

class Scene {
  readonly clock = new FakeClock();
  readonly debian = new FakePackageManager({ clock: this.clock });
  readonly fedora = new FakePackageManager({ clock: this.clock, family: 'fedora' });
  readonly facts = new FakeHostFacts();
  readonly host = new FakeHost('web').on('facts', () => 'what it is');
  readonly steps: string[] = [];
  former: Inventory | null = inventoryOf({ osFamily: 'debian' });
  saved: Inventory | null = null;

  constructor() {
    for (const manager of [this.debian, this.fedora]) manager.installed.set('app', '1');
    const [main] = this.debian.sources;
    if (main) main.packages = [{ name: 'app', version: '2' }];
  }

  apply() {
    const inventories = {
      find: async () => this.former,
      samples: async () => [],
      save: async (_id: number, inventory: Inventory) => {
        this.saved = inventory;
      },
    };
    const { facts, clock } = this;
    const inventory = new RefreshInventory({
      opener: {},
      facts,
      inventories,
      clock,
      osSupport: { endOf: async () => null },
    } as never);
    const managers = [this.debian, this.fedora];
    const runner = new OsUpdateCheckRunner({
      refreshInventory: inventory,
      packageManagers: {
        families: ['debian', 'fedora'],
        find: (family) => managers.find((each) => each.family === family) ?? null,
      },
      clock,
    });
    return runner.apply({
      server: { id: 1, facts: UNKNOWN_FACTS },
      signal: new AbortController().signal,
      openHost: async () => this.host.session(),
      log: (line: string) => void this.steps.push(line),
      progress: (what: string) => void this.steps.push(what),
    } as never);
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe('an update check', () => {
  it('asks a host that is known for what it is together with its updates', async () => {
    scene.facts.inventory = fakeInventory({ hostname: 'as it is now' });
    expect(await scene.apply()).toMatchObject({ summary: '1 pending update, 0 security fixes.' });
    expect(scene.steps).toEqual([
      'Reading the host',
      'Refreshing the package lists',
      'Hit main',
      'app 1 -> 2',
    ]);
    expect(scene.host.commands).toMatchObject([{ script: 'facts', asRoot: true }]);
    expect(scene.saved).toMatchObject({ hostname: 'as it is now', at: scene.clock.now() });
  });

  it('looks first at a host of which nothing is known', async () => {
    scene.former = null;
    await scene.apply();
    expect(scene.steps.slice(0, 3)).toEqual(['Reading the host', 'Refreshing the package lists', 'Hit main']);
    expect(scene.saved?.updates).toHaveLength(1);
  });

  it('takes the package manager of what the host has become', async () => {
    scene.facts.inventory = fakeInventory({ osFamily: 'fedora' });
    expect(await scene.apply()).toMatchObject({ result: { updates_count: 0 } });
    expect(scene.steps).toEqual(['Reading the host', 'Refreshing the package lists', 'Hit main']);
    expect(scene.saved).toMatchObject({ osFamily: 'fedora', updates: [] });
  });

  it('refuses a host that has become what no check covers', async () => {
    scene.facts.inventory = fakeInventory({ osFamily: null, osPretty: 'Plan 9' });
    await expect(scene.apply()).rejects.toMatchObject({
      code: 'host_unsupported',
      message: expect.stringMatching(/do not support Plan 9 yet; supported are: debian, fedora/),
    });
  });
});
