import { expect, test } from 'vitest';
import { RefreshInventory } from '../../../src/application/fleet/refresh-inventory.ts';
import { DAY } from '../../../src/domain/base/instant.ts';
import { applicationScene } from '../../support/application-scene.ts';
import { inventoryOf } from '../../support/inventories.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const MANY = 40;

test('the forecast is kept while one of many file systems fills up, and taken back once none does', async () => {
  const scene = applicationScene();
  const server = await scene.addServer('web', {}, 'ssh');
  const refresh = new RefreshInventory({
    inventories: scene.inventories,
    osSupport: { endOf: async () => null },
  } as never);
  const others = Array.from({ length: MANY }, (_, at) => ({
    mount: `/data/${at}`,
    filesystem: 'ext4',
    totalBytes: 100,
    usedBytes: 10,
  }));
  const found = async (at: number, usedBytes: number) => {
    // The host writes a character into its name that a reader does not see.
    const last = { mount: '/la\u202Est', filesystem: 'ext4', totalBytes: 100, usedBytes };
    await refresh.save(server, inventoryOf({ at, disks: [...others, last] }));
    const { facts } = (await scene.servers.find(server.id)) ?? server;
    return [facts.diskFullAt, facts.diskFullMount];
  };

  for (const [day, used] of [70, 72, 74, 76, 78].entries()) await found(AT - (5 - day) * DAY, used);
  expect(await found(AT, 80)).toEqual([AT + 10 * DAY, '/last']);
  expect(await found(AT + DAY, 20)).toEqual([null, null]);
});
