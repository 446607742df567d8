import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { packageManagerContract } from '../../../../contracts/package-manager.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { useHosts } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { familySubject } from './family-host.ts';

describeWith(['fleet', 'families'], 'ShellPackageManager', () => {
  const fleetHosts = useHosts(1);

  for (const family of ['fedora', 'suse', 'arch'] as const) {
    packageManagerContract(`${family} over SSH`, async () => {
      const [fleetHost] = fleetHosts();
      if (!fleetHost) throw new Error('no host');
      await fleetHost.reset();
      const hosts = new SshRemoteHosts();
      return familySubject(family, fleetHost, hosts, await hosts.connect(accessTo(fleetHost)));
    });
  }
});
