import { InMemoryJails } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { jailPathsContract } from '../contracts/jail-paths.contract.ts';
import { memoryFixture } from '../support/jail-fixture.ts';

jailPathsContract('in memory', async () => {
  const fixture = memoryFixture('/srv');
  return {
    fixture,
    jails: new InMemoryJails(() => fixture.files),
    access: { kind: 'local', serverId: 1, serverName: 'memory', become: 'none' },
    close: async () => undefined,
  };
});
