import { expect, test } from 'vitest';
import { RefreshInventory } from '../../../src/application/fleet/refresh-inventory.ts';
import { EditServer } from '../../../src/application/fleet/register-server.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { isDomainError } from '../../../src/domain/base/errors.ts';
import { requireControl } from '../../../src/domain/fleet/own-machine.ts';
import { applicationScene, tokenActor } from '../../support/application-scene.ts';
import { inventoryOf } from '../../support/inventories.ts';

const BOOT_ID = '2f0c1e5e-5d5f-4a59-8f0e-0c6f4f9a1b2c';
const OTHER_BOOT = '00000000-5d5f-4a59-8f0e-0c6f4f9a1b2c';

test('a server is the machine of the service once it shows its boot id, whatever its address says', async () => {
  const scene = applicationScene();
  const { id } = await scene.addServer('lan', {}, 'ssh');
  const { inventories } = scene;
  const refresh = new RefreshInventory({
    inventories,
    ownBootId: BOOT_ID,
    osSupport: { endOf: async () => null },
  } as never);
  const current = async () => {
    const server = await scene.servers.find(id);
    if (!server) throw new Error('no server');
    return server;
  };
  const after = async (bootId: string | null) => {
    await refresh.save(await current(), inventoryOf({ bootId }));
    return (await current()).facts.onOwnMachine;
  };
  expect(await after(OTHER_BOOT)).toBeNull();
  requireControl(tokenActor(), await current(), 'files');
  expect(await after(BOOT_ID)).toBe(true);
  // another replica reads it from another machine, or while /proc is hidden
  expect([await after(OTHER_BOOT), await after(null)]).toEqual([true, true]);

  const refused = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (isDomainError(error)) return error.code;
    }
    return null;
  };
  const server = await current();
  expect(refused(() => requireControl(tokenActor(), server, 'files'))).toBe('own_machine_restricted');
  expect(refused(() => requireControl(tokenActor(), server, 'job.backup'))).toBeNull();

  // the only way out is another address, by a user who controls the service
  const edit = new EditServer(scene);
  const person = tokenActor({ kind: 'user', role: 'operator' } as never);
  const change = { hostname: 'elsewhere.example.org' };
  await expect(edit.execute(person, id, change)).rejects.toMatchObject({
    code: 'own_machine_restricted',
  });
  expect((await edit.execute(Actor.operator('root'), id, change)).facts.onOwnMachine).toBeNull();
});
