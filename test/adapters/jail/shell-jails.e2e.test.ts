import { LocalRemoteHosts } from '../../../src/adapters/local/local-remote-hosts.ts';
import { jailFsContract } from '../../contracts/jail-fs.contract.ts';
import { realWorld, runHere } from '../../support/jail-world.ts';
import { HERE, jailRoot, shellJails } from './here.ts';

jailFsContract('a host, by its shell', async () => {
  const { root, remove } = await jailRoot();
  return {
    world: realWorld(root, runHere),
    jails: shellJails(new LocalRemoteHosts()),
    access: HERE,
    close: remove,
  };
});
