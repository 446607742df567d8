import { expect, it } from 'vitest';
import type { Section } from '../../../../../src/adapters/outbound/hosts/shell/marked-sections.ts';
import {
  readInstalled,
  readPackages,
} from '../../../../../src/adapters/outbound/hosts/state/installed-packages.ts';
import { readMounts, readPorts } from '../../../../../src/adapters/outbound/hosts/state/mounts-and-ports.ts';
import {
  readKeys,
  readUnits,
  readUsers,
} from '../../../../../src/adapters/outbound/hosts/state/shell-host-states.ts';

const sections = (given: Readonly<Record<string, string>>, exitCode = 0): ReadonlyMap<string, Section> =>
  new Map(Object.entries(given).map(([name, text]) => [name, { text, exitCode }]));
const entries = (facts: ReadonlyMap<string, string> | null) => facts && Object.fromEntries(facts);

it('reads what is installed of each package manager, all versions of it', () => {
  const text = [
    'installed bash:amd64 5.2-1',
    'config-files gone:amd64 1.0',
    'half-installed half:amd64 1.0',
    'kernel.x86_64 6.1',
    'kernel.x86_64 5.9',
    'not a line at all of any package manager',
  ].join('\n');
  expect(entries(readInstalled(sections({ 'state-packages': text })))).toEqual({
    'bash:amd64': '5.2-1',
    'kernel.x86_64': '5.9, 6.1',
  });
});

it('reads the sources of packages, without architectures', () => {
  const text = [
    'installed libssl3:amd64 3.0.15-1~deb12u1 openssl 3.0.15-1~deb12u1',
    'installed libc6:i386 2.36-9+b1 glibc 2.36-9',
    'installed linux-image-6.1.0-28-amd64:amd64 6.1.119-1 linux-signed-amd64 6.1.119+1',
    'installed linux-image-6.8.0-49-generic:amd64 6.8.0-49.49 linux-signed-hwe-6.8 6.8.0-49.49~22.04.1',
    'config-files gone:amd64 1.0 gone 1.0',
    'openssl-libs.x86_64 1:3.0.7-6.el9_2 openssl-3.0.7-6.el9_2.src.rpm -',
    'gpg-pubkey.(none) 8483c65d-5ccc5b19 (none) -',
    'apk-tools 2.14.4-r0 apk-tools -',
    'libcrypto3 3.3.1-r0 openssl -',
    'linux 6.12.arch1-1',
  ].join('\n');
  const found = readPackages(sections({ 'state-packages': text }));
  expect(found?.map((each) => [each.name, each.version, each.source, each.sourceVersion])).toEqual([
    ['libssl3', '3.0.15-1~deb12u1', 'openssl', '3.0.15-1~deb12u1'],
    ['libc6', '2.36-9+b1', 'glibc', '2.36-9'],
    ['linux-image-6.1.0-28-amd64', '6.1.119-1', 'linux', '6.1.119-1'],
    ['linux-image-6.8.0-49-generic', '6.8.0-49.49', 'linux-hwe-6.8', '6.8.0-49.49'],
    ['openssl-libs', '1:3.0.7-6.el9_2', 'openssl', '1:3.0.7-6.el9_2'],
    ['gpg-pubkey', '8483c65d-5ccc5b19', 'gpg-pubkey', '8483c65d-5ccc5b19'],
    ['apk-tools', '2.14.4-r0', 'apk-tools', '2.14.4-r0'],
    ['libcrypto3', '3.3.1-r0', 'openssl', '3.3.1-r0'],
    ['linux', '6.12.arch1-1', 'linux', '6.12.arch1-1'],
  ]);
  expect(readPackages(sections({ 'state-packages': text }, 1))).toBeNull();
  const many = Array.from({ length: 20_001 }, (_, n) => `p${n} 1`).join('\n');
  expect(readPackages(sections({ 'state-packages': many }))).toBeNull();
});

it('compares nothing that a host could not list, or lists without end', () => {
  expect(readInstalled(sections({ 'state-packages': 'a 1' }, 141))).toBeNull();
  expect(readInstalled(sections({}))).toBeNull();
  const many = Array.from({ length: 20_001 }, (_, n) => `p${n} 1`).join('\n');
  expect(readInstalled(sections({ 'state-packages': many }))).toBeNull();
});

it('shows a unit in transition as such, and no activity of services that others start', () => {
  const found = readUnits(
    sections({
      'state-units': [
        'nginx.service loaded active running A web server',
        'slow.service loaded activating start Starts',
        'podman.service loaded active running API',
        'dbus.service loaded active running Bus',
      ].join('\n'),
      'state-unit-files': [
        'nginx.service enabled enabled',
        'slow.service enabled enabled',
        'podman.service enabled enabled',
        'podman.socket enabled enabled',
        'dbus.service static -',
        'off.service disabled enabled',
        '4bc4d573cfe8.timer transient -',
      ].join('\n'),
    }),
  );
  expect(entries(found)).toEqual({
    'nginx.service': 'enabled, running',
    'slow.service': '',
    'podman.service': 'enabled',
    'podman.socket': 'enabled',
    'dbus.service': 'static',
    'off.service': 'disabled',
  });
});

it('reads mounts of people only, with odd names', () => {
  const text = [
    'proc /proc proc rw 0 0',
    'tmpfs /tmp tmpfs rw 0 0',
    'overlay /var/lib/docker/overlay2/x/merged overlay rw 0 0',
    '/dev/sda1 / ext4 rw,relatime 0 0',
    'nas:/a\\040b /srv/my\\040files nfs4 ro,vers=4.2 0 0',
  ].join('\n');
  expect(entries(readMounts(sections({ 'state-mounts': text })))).toEqual({
    '/': '/dev/sda1, ext4, writable',
    '/srv/my files': 'nas:/a b, nfs4, read-only',
  });
});

it('reads listening ports, without those that the kernel hands out to clients', () => {
  const text = [
    '/proc/net/tcp 00000000:0016',
    '/proc/net/tcp 0100007F:A000',
    '/proc/net/tcp6 00000000000000000000000001000000:1F90',
    '/proc/net/udp 00000000:0044',
    '/proc/net/udp 00000000:AFC8',
    '/etc/passwd 00000000:0016',
  ].join('\n');
  expect(entries(readPorts(sections({ 'state-ports': text })))).toEqual({
    'tcp 0.0.0.0:22': 'open',
    'tcp 127.0.0.1:40960': 'open',
    'tcp [::1]:8080': 'open',
    'udp 0.0.0.0:68': 'open',
  });
});

it('reads users with a shell, and keys by their fingerprints', () => {
  const passwd =
    'root:x:0:0::/root:/bin/bash\nsync:x:4:65534::/bin:/bin/sync\nwww:x:33:33::/var/www:/usr/sbin/nologin\nold:x:7:7::/:\n';
  expect(entries(readUsers(sections({ 'state-users': passwd })))).toEqual({
    root: 'uid 0, /root, /bin/bash',
    old: 'uid 7, /, /bin/sh',
  });
  // The fingerprint is ssh-keygen's for this line.
  const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  const lines = `# a comment\nfrom="192.0.2.7",no-pty ssh-ed25519 ${key} github\nnot a key\n`;
  expect(entries(readKeys(sections({ 'state-keys': lines })))).toEqual({
    'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU':
      'ssh-ed25519, github, only with from="192.0.2.7",no-pty',
  });
});

it('cuts and cleans names and values of a hostile host', () => {
  const long = 'x'.repeat(5_000);
  const facts = readUsers(sections({ 'state-users': `a\u001b[31m\u202eb:x:1:1::/${long}:/bin/sh` }));
  const [[name, value] = ['', '']] = facts ?? [];
  expect(name).toBe('ab');
  expect(value.length).toBeLessThanOrEqual(300);
});
