import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { containerEngineContract } from '../../../../contracts/container-engine.contract.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { usePodmanHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { podmanSubject } from './podman-subject.ts';

describeWith('podman', 'ShellContainerEngine', () => {
  const fleetHost = usePodmanHost();

  containerEngineContract('podman over SSH, as a plain user with sudo', async () => {
    const hosts = new SshRemoteHosts();
    return podmanSubject(fleetHost(), hosts, await hosts.connect(accessTo(fleetHost(), AS_DROVER)));
  });
});
