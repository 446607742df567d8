import { ShellContainerEngine } from '../../../../../src/adapters/outbound/hosts/containers/shell-container-engine.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { RemoteHost, RemoteHosts } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { ContainerEngineSubject } from '../../../../contracts/container-engine.contract.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import { imageName, poseOn } from '../../../../fleet/docker.ts';
import type { FleetHost } from '../../../../fleet/host.ts';
import { composeByPodman, emptyPodman, publishByPodman, waitForPodman } from '../../../../fleet/podman.ts';
import { performOn } from './docker-subject.ts';

/** Sets up a real host with podman and a separate registry. */
export async function podmanSubject(
  fleetHost: FleetHost,
  hosts: RemoteHosts,
  host: RemoteHost,
): Promise<ContainerEngineSubject> {
  await waitForPodman(fleetHost);
  return {
    kind: 'podman',
    engine: new ShellContainerEngine({ randomness: new SystemRandomness() }),
    host,
    gone: new FakeHost('gone').unreachable().session(),
    image: imageName,
    publish: (reference, edition) => publishByPodman(fleetHost, reference, edition),
    write: (path, content) => fleetHost.writeFile(path, content),
    read: (path) => fleetHost.readFile(path),
    up: (directory) => composeByPodman(fleetHost, directory, ['up', '-d', '--wait']),
    pose: (...labels) => poseOn(fleetHost, 'podman', labels),
    perform: (work) => performOn(host, work),
    reset: () => emptyPodman(fleetHost),
    close: () => hosts.closeAll(),
  };
}
