import { InMemoryJails } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { jailPathsContract } from '../contracts/jail-paths.contract.ts';
import { memoryWorld } from '../support/jail-world.ts';

jailPathsContract('in memory', async () => {
  const world = memoryWorld('/srv');
  return {
    world,
    jails: new InMemoryJails(() => world.files),
    access: { kind: 'local', serverId: 1, serverName: 'memory', become: 'none' },
    close: async () => undefined,
  };
});
