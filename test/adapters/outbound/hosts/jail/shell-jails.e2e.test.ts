import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import { jailFsContract } from '../../../../contracts/jail-fs.contract.ts';
import { countTogether } from '../../../../contracts/jail-if-match.ts';
import { fixtureHere } from '../../../../support/jail-fixture.ts';
import { placesOf } from '../../../../support/service-places.ts';
import { HERE, jailRoot, shellJails } from './here.ts';

jailFsContract('a host, by its shell', async () => {
  const { root, remove } = await jailRoot();
  return {
    fixture: fixtureHere(root),
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

describe('a host that turns out to be the machine of the service', () => {
  let root: string;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ root, remove } = await jailRoot());
    await mkdir(join(root, 'srv', 'drover', 'backups'), { recursive: true });
    await mkdir(join(root, 'www'));
  });
  afterEach(() => remove());

  it('has no jail that the data directory is in, or that is in it', async () => {
    const jails = shellJails(new LocalRemoteHosts(), placesOf(join(root, 'srv', 'drover')));
    await symlink(join(root, 'srv'), join(root, 'link'));
    for (const path of ['', 'srv', 'srv/drover', 'srv/drover/backups', 'link/drover']) {
      await expect(jails.open(HERE, join(root, path)), path).rejects.toMatchObject({ code: 'jail_unusable' });
    }
    (await jails.open(HERE, join(root, 'www'))).close();
  });
});
