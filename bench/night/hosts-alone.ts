import { ShellHostFacts } from '../../src/adapters/facts/shell-host-facts.ts';
import { AptPackageManager } from '../../src/adapters/packages/apt/apt-package-manager.ts';
import { SshRemoteHosts } from '../../src/adapters/ssh/ssh-remote-hosts.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SystemRandomness } from '../../src/adapters/system/system-randomness.ts';
import type { RemoteHost, SshAccess } from '../../src/application/ports/remote-host.ts';
import { installDemo, publish } from '../../test/fleet/apt-repo.ts';
import { startFleet } from '../../test/fleet/fleet.ts';
import type { FleetHost } from '../../test/fleet/host.ts';

const HOSTS = 5;
const ROUNDS = 4;

/** Milliseconds of each thing on a host that nobody else asks meanwhile. */
export type Alone = Readonly<Record<'connect' | 'facts' | 'refresh' | 'list', number>>;

/** Medians over real hosts of the test fleet (sshd, apt with a repository of their own), one after the other. Needs root. */
export async function hostsAlone(): Promise<Alone> {
  const fleet = await startFleet({ hosts: HOSTS });
  try {
    const all: Alone[] = [];
    for (const host of fleet.hosts) {
      await installDemo(host);
      await publish(host, 'v2');
      for (let round = 0; round < ROUNDS; round += 1) all.push(await once(host));
    }
    const median = (of: keyof Alone): number =>
      Math.round(all.map((each) => each[of]).toSorted((a, b) => a - b)[all.length >> 1] ?? 0);
    return {
      connect: median('connect'),
      facts: median('facts'),
      refresh: median('refresh'),
      list: median('list'),
    };
  } finally {
    await fleet.stop();
  }
}

async function once(host: FleetHost): Promise<Alone> {
  const hosts = new SshRemoteHosts();
  const randomness = new SystemRandomness();
  const manager = new AptPackageManager({ clock: new SystemClock(), randomness });
  const { signal } = new AbortController();
  let listing = 0;
  try {
    const [remote, connect] = await timed(() => hosts.connect(accessTo(host)));
    const [, facts] = await timed(() =>
      new ShellHostFacts({ randomness }).gather(remote, { signal, checkFollows: true }),
    );
    const watched: RemoteHost = {
      ...remote,
      open: (command, options) => remote.open(command, options),
      release: () => remote.release(),
      run: async (command, options) => {
        const [result, took] = await timed(() => remote.run(command, options));
        listing += took;
        return result;
      },
    };
    const [, check] = await timed(() => manager.check(watched, { signal, onLine: () => {} }));
    return { connect, facts, refresh: check - listing, list: listing };
  } finally {
    await hosts.closeAll();
  }
}

const accessTo = (host: FleetHost): SshAccess => ({
  kind: 'ssh',
  serverId: 1,
  serverName: host.name,
  hostname: host.address,
  port: 22,
  username: 'root',
  authentication: { kind: 'key', privateKey: host.privateKey },
  hostKey: host.hostKey,
  become: 'none',
  jump: null,
});

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}
