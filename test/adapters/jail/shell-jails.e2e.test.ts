import { describe, it } from 'vitest';
import { LocalRemoteHosts } from '../../../src/adapters/local/local-remote-hosts.ts';
import { jailFsContract } from '../../contracts/jail-fs.contract.ts';
import { countTogether } from '../../contracts/jail-if-match.ts';
import { worldHere } from '../../support/jail-world.ts';
import { HERE, jailRoot, shellJails } from './here.ts';

jailFsContract('a host, by its shell', async () => {
  const { root, remove } = await jailRoot();
  return {
    world: worldHere(root),
    jails: shellJails(new LocalRemoteHosts()),
    access: HERE,
    close: remove,
  };
});

describe('two services on one host', () => {
  it('never both replace what they have both read', async () => {
    const { root, remove } = await jailRoot();
    const services = [1, 2].map(() => shellJails(new LocalRemoteHosts()).open(HERE, root));
    await countTogether(await Promise.all(services));
    await remove();
  });
});
