import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { containerEngineContract } from '../../../../contracts/container-engine.contract.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useDockerHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { dockerSubject } from './docker-subject.ts';

describeWith('docker', 'ShellContainerEngine', () => {
  const fleetHost = useDockerHost();

  // An unprivileged user with sudo needs all that root needs, and sudo besides.
  containerEngineContract('docker over SSH, as a plain user with sudo', async () => {
    const hosts = new SshRemoteHosts();
    return dockerSubject(fleetHost(), hosts, await hosts.connect(accessTo(fleetHost(), AS_DROVER)));
  });
});
