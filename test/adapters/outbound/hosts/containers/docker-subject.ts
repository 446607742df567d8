import { setTimeout as sleep } from 'node:timers/promises';
import { ShellContainerEngine } from '../../../../../src/adapters/outbound/hosts/containers/shell-container-engine.ts';
import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { ComposeWork } from '../../../../../src/application/ports/compose/container-engine.ts';
import type { RemoteHost, RemoteHosts } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { ContainerEngineSubject } from '../../../../contracts/container-engine.contract.ts';
import { FakeHost } from '../../../../fakes/fake-host.ts';
import { emptyDocker, imageName, poseOn, publishImage, waitForDocker } from '../../../../fleet/docker.ts';
import type { FleetHost } from '../../../../fleet/host.ts';

let runs = 0;

/** Does the work as a job does: detached, and followed to its end. */
export async function performOn(
  host: RemoteHost,
  work: ComposeWork,
): Promise<{ exitCode: number; result: string; log: string }> {
  const detached = new ShellDetachedRuns();
  const { signal } = new AbortController();
  runs += 1;
  const id = `test-${process.pid}-${runs}`;
  await detached.start(host, { id, ...work });
  let log = '';
  let offset = 0;
  for (;;) {
    const part = await detached.read(host, id, offset, { waitMs: 1_000, signal });
    log += Buffer.from(part.content).toString('utf8');
    offset = part.next;
    if (part.state.kind === 'ended') {
      const result = await detached.result(host, id);
      await detached.forget(host, id);
      return { exitCode: part.state.exitCode, result, log };
    }
    if (part.state.kind !== 'running') throw new Error(`the work is ${part.state.kind}: ${log}`);
    await sleep(50);
  }
}

/** Sets up a real host with docker and a separate registry. */
export async function dockerSubject(
  fleetHost: FleetHost,
  hosts: RemoteHosts,
  host: RemoteHost,
): Promise<ContainerEngineSubject> {
  await waitForDocker(fleetHost);
  return {
    kind: 'docker',
    engine: new ShellContainerEngine({ randomness: new SystemRandomness() }),
    host,
    gone: new FakeHost('gone').unreachable().session(),
    image: imageName,
    publish: (reference, edition) => publishImage(fleetHost, reference, edition),
    write: (path, content) => fleetHost.writeFile(path, content),
    read: (path) => fleetHost.readFile(path),
    up: async (directory) =>
      void (await fleetHost.exec('cd "$1" && docker compose up -d --wait >&2', [directory])),
    pose: (...labels) => poseOn(fleetHost, 'docker', labels),
    perform: (work) => performOn(host, work),
    reset: () => emptyDocker(fleetHost),
    close: () => hosts.closeAll(),
  };
}
