import { SshRemoteHosts } from '../../../src/adapters/ssh/ssh-remote-hosts.ts';
import { packageManagerContract } from '../../contracts/package-manager.contract.ts';
import { AS_DROVER, accessTo } from '../../fleet/access.ts';
import { useHosts } from '../../fleet/use-host.ts';
import { describeWith } from '../../support/capabilities.ts';
import { aptSubject } from './apt-host.ts';

describeWith('fleet', 'AptPackageManager', () => {
  const fleetHosts = useHosts(1);

  for (const [who, changes] of [
    ['as root', {}],
    ['as a plain user with sudo', AS_DROVER],
  ] as const) {
    packageManagerContract(`apt over SSH, ${who}`, async () => {
      const [fleetHost] = fleetHosts();
      if (!fleetHost) throw new Error('no host');
      const hosts = new SshRemoteHosts();
      return aptSubject(fleetHost, hosts, await hosts.connect(accessTo(fleetHost, changes)));
    });
  }
});
