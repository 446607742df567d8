import { LocalRemoteHosts } from '../../../src/adapters/local/local-remote-hosts.ts';
import { jailPathsContract } from '../../contracts/jail-paths.contract.ts';
import { realWorld, runHere } from '../../support/jail-world.ts';
import { HERE, jailRoot, localJails, shellJails } from './here.ts';

const here = async () => {
  const { root, remove } = await jailRoot();
  return { world: realWorld(root, runHere), access: HERE, close: remove };
};

jailPathsContract('this machine, by descriptors', async () => ({ ...(await here()), jails: localJails() }));
jailPathsContract('a host, by its shell', async () => ({
  ...(await here()),
  jails: shellJails(new LocalRemoteHosts()),
}));
