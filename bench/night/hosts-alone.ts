import { ShellHostFacts } from '../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { AptPackageManager } from '../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { SshRemoteHosts } from '../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { ShellHostStates } from '../../src/adapters/outbound/hosts/state/shell-host-states.ts';
import { SystemClock } from '../../src/adapters/outbound/system/system-clock.ts';
import { SystemRandomness } from '../../src/adapters/outbound/system/system-randomness.ts';
import type { HostReply } from '../../src/application/ports/fleet/host-question.ts';
import type { SshAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { installDemo, publish } from '../../test/fleet/apt-repo.ts';
import { startFleet } from '../../test/fleet/fleet.ts';
import type { FleetHost } from '../../test/fleet/host.ts';
import type { Question } from '../../test/support/recorded-debian.ts';

const HOSTS = 5;
const ROUNDS = 4;

/** Milliseconds of each step on an otherwise idle host. */
export type Alone = Readonly<Record<'connect' | Question, number>>;

/**
 * Medians over real hosts of the test fleet (sshd, apt with a separate repository), one after another. Needs root.
 */
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
      check: median('check'),
      both: median('both'),
      state: median('state'),
    };
  } finally {
    await fleet.stop();
  }
}

async function once(host: FleetHost): Promise<Alone> {
  const hosts = new SshRemoteHosts();
  const randomness = new SystemRandomness();
  const manager = new AptPackageManager({ clock: new SystemClock(), randomness });
  const options = { signal: new AbortController().signal, onLine: () => {} };
  const reader = new ShellHostFacts({ randomness });
  const states = new ShellHostStates({ randomness });
  try {
    const [remote, connect] = await timed(() => hosts.connect(accessTo(host)));
    const [, facts] = await timed(() => reader.gather(remote, { ...options, checkFollows: true }));
    const [, check] = await timed(() => manager.check(remote, options));
    const question = reader.question({ checkFollows: true });
    const first = { ...question, read: (said: HostReply) => void question.read(said) };
    const [, both] = await timed(() => manager.check(remote, { ...options, first }));
    const [, state] = await timed(() => states.read(remote, options.signal));
    return { connect, facts, check, both, state };
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
