import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import { ShellHostStates } from '../../../../../src/adapters/outbound/hosts/state/shell-host-states.ts';
import { SystemRandomness } from '../../../../../src/adapters/outbound/system/system-randomness.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { compareStates, differenceText, type HostState } from '../../../../../src/domain/fleet/host-state.ts';
import { DPKG } from '../../../../domain/fleet/versions/dpkg-vectors.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHost, usePodmanHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';

const { signal } = new AbortController();
const states = new ShellHostStates({ randomness: new SystemRandomness() });
const read = async (host: RemoteHost): Promise<HostState> => ({
  ...(await states.read(host, signal)),
  container: null,
});
const changes = (before: HostState, after: HostState): readonly string[] =>
  compareStates(before, after).differences.map(
    (each) => `${each.kind} ${each.name}: ${differenceText(each)}`,
  );

/** Packages `p1` … of this version. */
const INSTALL = `set -e
version=$1 && shift
cd /tmp
for name in "$@"; do
  mkdir -p "new/DEBIAN"
  printf '%s\\n' "Package: $name" "Version: $version" 'Architecture: all' 'Maintainer: A <a@example.org>' 'Description: a' >new/DEBIAN/control
  dpkg-deb -Zgzip --root-owner-group -b new "$name.deb" >&2
  dpkg -i "$name.deb" >&2
done`;
const KEYS = [1, 2, 3, 4].map(
  (n) => `ssh-ed25519 ${Buffer.from(`key ${n} of this test`).toString('base64')} ada@laptop-${n}`,
);
const PRINT = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** 29 changes, and what makes none. */
const CHANGE = `set -e
dpkg -r p1 p2 >&2
printf '%s\\n' "$1" "$2" "$3" >>"$HOME/.ssh/authorized_keys"
sed -i '/laptop-4/d' "$HOME/.ssh/authorized_keys"
for n in 1 2 3 4 5 6; do useradd --uid "300$n" --no-create-home --home-dir "/srv/u$n" --shell /bin/sh "u$n"; done
usermod --shell /bin/bash former
userdel leaving
useradd --system --shell /usr/sbin/nologin daemon2
for n in 1 2 3 4; do mkdir -p "/srv/from$n" "/srv/to $n" && mount --bind "/srv/from$n" "/srv/to $n"; done
mkdir -p /run/drover-test && mount -t tmpfs none /run/drover-test
setsid python3 -c '
import socket, time
held = []
for port in (8101, 8102, 8103, 8104):
    one = socket.socket(); one.bind(("127.0.0.1", port)); one.listen(); held.append(one)
six = socket.socket(socket.AF_INET6); six.bind(("::1", 8105)); six.listen()
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("0.0.0.0", 8106))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); client.bind(("0.0.0.0", 45001))
peer = socket.create_connection(("127.0.0.1", 8101))
open("/run/listening", "w").close()
time.sleep(60)
' >/dev/null 2>&1 </dev/null &
until [ -e /run/listening ]; do sleep 0.05; done
touch /etc/motd /var/lib/dpkg/status`;

describeWith('fleet', 'What changed on a host', () => {
  const fleetHost = useHost();
  const hosts = new SshRemoteHosts();
  beforeAll(() => fleetHost().reset());
  afterAll(() => hosts.closeAll());

  it('is nothing at first, and then each of 29 changes and nothing else', async () => {
    const host = await hosts.connect(accessTo(fleetHost()));
    const run = async (script: string, args: readonly string[] = []): Promise<void> => {
      const { exitCode, stderr } = await host.run({ script, args }, { signal });
      expect(exitCode, stderr.toString()).toBe(0);
    };
    await run(INSTALL, ['1.0', 'p1', 'p2', 'p3', 'p4', 'p5']);
    await run(
      'printf "%s\\n" "$1" >>"$HOME/.ssh/authorized_keys"; useradd --uid 2001 --no-create-home --shell /bin/sh former; useradd --uid 2002 --no-create-home --shell /bin/sh leaving',
      [KEYS[3] ?? ''],
    );
    const before = await read(host);
    expect(changes(before, await read(host))).toEqual([]);
    await run(INSTALL, ['2.0', 'p3', 'p4', 'p5', 'p6', 'p7']);
    await run(CHANGE, KEYS.slice(0, 3));
    const found = changes(before, await read(host));
    const places = [1, 2, 3, 4].map((n) =>
      expect.stringMatching(`^mount /srv/to ${n}: added: .+, writable$`),
    );
    const keys = found.filter((each) => each.startsWith('key '));
    expect(found.filter((each) => !each.startsWith('key '))).toEqual([
      'package p1:all: removed: 1.0',
      'package p2:all: removed: 1.0',
      ...['p3', 'p4', 'p5'].map((each) => `package ${each}:all: 1.0 → 2.0`),
      'package p6:all: added: 2.0',
      'package p7:all: added: 2.0',
      ...places,
      'port tcp 127.0.0.1:8101: added: open',
      'port tcp 127.0.0.1:8102: added: open',
      'port tcp 127.0.0.1:8103: added: open',
      'port tcp 127.0.0.1:8104: added: open',
      'port tcp [::1]:8105: added: open',
      'port udp 0.0.0.0:8106: added: open',
      'user former: uid 2001, /home/former, /bin/sh → uid 2001, /home/former, /bin/bash',
      'user leaving: removed: uid 2002, /home/leaving, /bin/sh',
      ...[1, 2, 3, 4, 5, 6].map((n) => `user u${n}: added: uid 300${n}, /srv/u${n}, /bin/sh`),
    ]);
    expect(keys.map((each) => each.split(': ').slice(1).join(': ')).toSorted()).toEqual([
      'added: ssh-ed25519, ada@laptop-1',
      'added: ssh-ed25519, ada@laptop-2',
      'added: ssh-ed25519, ada@laptop-3',
      'removed: ssh-ed25519, ada@laptop-4',
    ]);
    expect(found).toHaveLength(29);
    for (const each of keys) expect(each.slice('key '.length).split(': ', 1)[0]).toMatch(PRINT);
  });

  it('is the same for an account with sudo, whose own keys are compared', async () => {
    const asRoot = await read(await hosts.connect(accessTo(fleetHost())));
    const withSudo = await read(await hosts.connect(accessTo(fleetHost(), AS_DROVER)));
    const { key, ...others } = withSudo;
    expect(changes({ ...asRoot, key: null }, { ...others, key })).toEqual([]);
    expect(key).not.toEqual(asRoot.key);
    expect(key?.size).toBeGreaterThan(0);
  });
});

describeWith('fleet', 'The packages of a host', () => {
  const fleetHost = useHost();
  const hosts = new SshRemoteHosts();
  afterAll(() => hosts.closeAll());

  it('have their sources, and are all that dpkg lists', async () => {
    const host = await hosts.connect(accessTo(fleetHost()));
    const { installed, package: facts } = await states.read(host, signal);
    expect(installed?.length).toBe(facts?.size);
    const found = new Map(installed?.map((each) => [each.name, each]));
    expect(found.get('libc6')).toMatchObject({ source: 'glibc' });
    const { stdout } = await host.run(
      { script: "dpkg-query -W -f '${source:Package} ${source:Version}' libc6", args: [] },
      { signal },
    );
    const { source, sourceVersion } = found.get('libc6') ?? {};
    expect(`${source} ${sourceVersion}`).toBe(stdout.toString());
  });

  it('have versions that are compared as dpkg does', async () => {
    const host = await hosts.connect(accessTo(fleetHost()));
    const script = String.raw`while read -r a sign b; do
  case $sign in '<') op=lt ;; '=') op=eq ;; *) op=gt ;; esac
  dpkg --compare-versions "$a" "$op" "$b" || printf '%s %s %s\n' "$a" "$sign" "$b"
done`;
    const stdin = Buffer.from(DPKG.map((vector) => `${vector.join(' ')}\n`).join(''));
    const { stdout } = await host.run({ script, args: [], stdin }, { signal });
    expect(stdout.toString()).toBe('');
  });
});

describeWith('podman', 'What changed on a host of systemd', () => {
  const fleetHost = usePodmanHost();
  const hosts = new SshRemoteHosts();
  let host: RemoteHost;
  beforeEach(async () => {
    host = await hosts.connect(accessTo(fleetHost()));
  });
  afterAll(() => hosts.closeAll());

  it('is each unit that was added, switched on or off, started, stopped, or failed', async () => {
    const run = async (script: string): Promise<void> => {
      const { exitCode, stderr } = await host.run({ script }, { signal });
      expect(exitCode, stderr.toString()).toBe(0);
    };
    const unit = (name: string, command: string): string =>
      `printf '%s\\n' [Service] 'ExecStart=${command}' [Install] WantedBy=multi-user.target >/etc/systemd/system/${name}.service`;
    await run(
      `${['on', 'off', 'stops', 'fails'].map((each) => unit(each, '/bin/sleep 600')).join('\n')}
systemctl daemon-reload
systemctl enable --now off stops fails`,
    );
    const before = await read(host);
    expect(changes(before, await read(host))).toEqual([]);
    await run(
      `${unit('added', '/bin/true')}
systemctl daemon-reload
systemctl enable --now on
systemctl disable --now off
systemctl stop stops
systemctl kill --signal=KILL fails
until systemctl is-failed -q fails; do sleep 0.05; done`,
    );
    expect(changes(before, await read(host))).toEqual([
      'unit added.service: added: disabled',
      'unit fails.service: enabled, running → enabled, failed',
      'unit off.service: enabled, running → disabled',
      'unit on.service: disabled → enabled, running',
      'unit stops.service: enabled, running → enabled',
    ]);
    await run(
      'systemctl disable --now on stops fails; cd /etc/systemd/system && rm -f added.service on.service off.service stops.service fails.service; systemctl daemon-reload; systemctl reset-failed',
    );
  });
});
