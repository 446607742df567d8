import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { jailPathsContract } from '../../../../contracts/jail-paths.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { fixtureOn } from '../../../../support/jail-fixture.ts';
import { shellJails } from './here.ts';

describeWith('fleet', 'paths on a real host over SSH', () => {
  const host = useHost();

  jailPathsContract('a real host', async () => {
    const hosts = new SshRemoteHosts();
    await host().exec('mkdir -p /srv/paths');
    return {
      fixture: await fixtureOn(host(), 'root', '/srv/paths'),
      jails: shellJails(hosts),
      access: accessTo(host()),
      close: () => hosts.closeAll(),
    };
  });
});
