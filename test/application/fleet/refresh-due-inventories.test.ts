import { beforeEach, describe, expect, test } from 'vitest';
import { RefreshDueInventories } from '../../../src/application/fleet/refresh-due-inventories.ts';
import type { RefreshInventory } from '../../../src/application/fleet/refresh-inventory.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

let scene: ApplicationScene;
let asked: string[];
beforeEach(async () => {
  scene = applicationScene();
  asked = [];
  await scene.addServer('alpha');
  await scene.addServer('beta');
});

/** Reads nothing, and ends on request. */
const reading = (read: (signal: AbortSignal) => Promise<void>) =>
  new RefreshDueInventories({
    ...scene,
    refreshInventory: {
      execute: async (server: { name: string }, signal: AbortSignal) => {
        asked.push(server.name);
        await read(signal);
      },
    } as unknown as RefreshInventory,
  });

describe('hosts that are due', () => {
  test('are read; one that fails is left alone for a quarter of an hour', async () => {
    const due = reading(() => Promise.reject(new Error('no answer')));
    await due.execute(new AbortController().signal);
    expect(asked.toSorted()).toEqual(['alpha', 'beta']);
    expect(scene.log.lines.map(({ message }) => message)).toEqual([
      'could not read a host',
      'could not read a host',
    ]);
    await scene.clock.advance(14 * MINUTE);
    await due.execute(new AbortController().signal);
    expect(asked).toHaveLength(2);
    await scene.clock.advance(MINUTE);
    await due.execute(new AbortController().signal);
    expect(asked).toHaveLength(4);
  });

  test('are not blamed for a stop of the service', async () => {
    const stopping = new AbortController();
    const due = reading((signal) => {
      stopping.abort();
      return Promise.reject(signal.reason);
    });
    await due.execute(stopping.signal);
    expect(scene.log.lines).toEqual([]);
    await due.execute(new AbortController().signal);
    expect(asked.length).toBeGreaterThan(2);
  });
});
