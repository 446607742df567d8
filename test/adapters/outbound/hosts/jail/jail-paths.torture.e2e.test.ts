import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import { jailPathsContract } from '../../../../contracts/jail-paths.contract.ts';
import { fixtureHere } from '../../../../support/jail-fixture.ts';
import { HERE, jailRoot, localJails, shellJails } from './here.ts';

const here = async () => {
  const { root, remove } = await jailRoot();
  return { fixture: fixtureHere(root), access: HERE, close: remove };
};

jailPathsContract('this machine, by descriptors', async () => ({ ...(await here()), jails: localJails() }));
jailPathsContract('a host, by its shell', async () => ({
  ...(await here()),
  jails: shellJails(new LocalRemoteHosts()),
}));
