import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { jailFsContract } from '../../../../contracts/jail-fs.contract.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { fixtureOn } from '../../../../support/jail-fixture.ts';
import { shellJails } from './here.ts';

describeWith('fleet', 'jails of a real host over SSH', () => {
  const host = useHost();

  jailFsContract('a real host, as root', async () => {
    const hosts = new SshRemoteHosts();
    await host().exec('mkdir -p /srv/as-root');
    return {
      fixture: await fixtureOn(host(), 'root', '/srv/as-root'),
      jails: shellJails(hosts),
      access: accessTo(host()),
      close: () => hosts.closeAll(),
    };
  });

  jailFsContract('a real host, as a plain user', async () => {
    const hosts = new SshRemoteHosts();
    await host().exec('install -d -o drover -g drover /srv/as-drover');
    return {
      fixture: await fixtureOn(host(), 'drover', '/srv/as-drover'),
      jails: shellJails(hosts),
      access: accessTo(host(), AS_DROVER),
      close: () => hosts.closeAll(),
    };
  });
});
