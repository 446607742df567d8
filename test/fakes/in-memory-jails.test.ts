import { InMemoryJails } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { jailFsContract } from '../contracts/jail-fs.contract.ts';
import { memoryWorld } from '../support/jail-world.ts';

jailFsContract('in memory', async () => {
  const world = memoryWorld('/srv');
  return {
    world,
    jails: new InMemoryJails(() => world.files),
    access: { kind: 'local', serverId: 1, serverName: 'memory', become: 'none' },
    close: async () => undefined,
  };
});
