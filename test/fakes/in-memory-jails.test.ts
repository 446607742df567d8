import { InMemoryJails } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { jailFsContract } from '../contracts/jail-fs.contract.ts';
import { memoryFixture } from '../support/jail-fixture.ts';

jailFsContract('in memory', async () => {
  const fixture = memoryFixture('/srv');
  return {
    fixture,
    jails: new InMemoryJails(() => fixture.files),
    access: { kind: 'local', serverId: 1, serverName: 'memory', become: 'none' },
    close: async () => undefined,
  };
});
