import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { capture } from '../../scripts/lib/programs.mjs';
import { describeWith } from '../support/capabilities.ts';
import { installDemo, publish } from './apt-repo.ts';
import type { FleetHost } from './host.ts';
import { useHosts } from './use-host.ts';

const SECONDS_TO_CONNECT = 2;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fleet-test-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** Signs in with the system's own ssh client, which trusts no host key but the given one. */
async function ssh(
  host: FleetHost,
  command: string,
  { user = 'root', hostKeyLine = host.hostKeyLine } = {},
): Promise<{ code: number; output: string }> {
  const key = join(dir, `${host.name}.key`);
  const knownHosts = join(dir, `${host.name}.known_hosts`);
  await writeFile(key, host.privateKey, { mode: 0o600 });
  await writeFile(knownHosts, `${hostKeyLine}\n`);
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'IdentitiesOnly=yes',
    `UserKnownHostsFile=${knownHosts}`,
    `ConnectTimeout=${SECONDS_TO_CONNECT}`,
  ].flatMap((option) => ['-o', option]);
  return capture('ssh', ['-F', 'none', ...options, '-i', key, `${user}@${host.address}`, command]);
}

describeWith('fleet', 'the fleet', () => {
  const hosts = useHosts(3);
  const first = (): FleetHost => {
    const [host] = hosts();
    if (!host) throw new Error('no host');
    return host;
  };

  it('is three hosts, each with its own name, address, key and processes', async () => {
    const names = await Promise.all(hosts().map(async (host) => (await ssh(host, 'hostname')).output.trim()));
    expect(names).toEqual(hosts().map((host) => host.name));
    expect(names.toSorted()).toEqual(['h1', 'h2', 'h3']);
    expect(new Set(hosts().map((host) => host.hostKey.fingerprint)).size).toBe(3);
    expect(await first().exec('cat /proc/1/comm')).toBe('sshd\n');
    expect(await first().exec('ls /home')).toBe('drover\n');
  });

  it('refuses a client that expects another host key', async () => {
    const [one, other] = hosts();
    if (!one || !other) throw new Error('no hosts');
    const hostKeyLine = other.hostKeyLine.replace(other.address, one.address);
    const { code, output } = await ssh(one, 'true', { hostKeyLine });
    expect(code).toBe(255);
    expect(output).toContain('Host key verification failed');
  });

  it('has a plain user who may become root', async () => {
    expect((await ssh(first(), 'id -un; sudo -n id -un; echo $0', { user: 'drover' })).output).toBe(
      'drover\nroot\nsh\n',
    );
  });

  it('vanishes when its cable is cut and is back when it is healed', async () => {
    await first().cut();
    expect((await ssh(first(), 'true')).code).toBe(255);
    await first().heal();
    expect((await ssh(first(), 'echo back')).output).toBe('back\n');
  });

  it('comes up from a power cut with its disk as it was, and another boot id', async () => {
    const bootId = () => first().exec('cat /proc/sys/kernel/random/boot_id');
    const before = await bootId();
    await first().writeFile('/var/lib/kept/file', 'kept');
    await first().exec('touch /run/gone');
    await first().powerOff();
    await expect(first().exec('true')).rejects.toThrow(`host ${first().name} is off`);
    expect((await ssh(first(), 'true')).code).toBe(255);
    await first().start();
    expect((await ssh(first(), 'cat /var/lib/kept/file')).output).toBe('kept');
    expect((await first().tryExec('test -e /run/gone')).code).toBe(1);
    expect(await bootId()).not.toBe(before);
  });

  it('is as new after a reset, under the same host key', async () => {
    await first().writeFile('/root/mine', 'x');
    await first().exec('rm -rf /usr/share/perl5 /etc/hostname');
    await first().reset();
    expect((await ssh(first(), 'ls /root; cat /etc/hostname')).output).toBe(`${first().name}\n`);
  });

  it('drops connections without ending what they had started', async () => {
    const session = ssh(first(), 'setsid sleep 300 >/dev/null 2>&1 </dev/null & sleep 300');
    await expect
      .poll(() =>
        first()
          .tryExec('pgrep -c -x sleep')
          .then((found) => found.stdout),
      )
      .toBe('2\n');
    await first().killConnections();
    expect((await session).code).toBe(255);
    expect(await first().exec('pgrep -c -x sleep')).toMatch(/^[12]\n$/);
  });

  it('has a disk that can be full', async () => {
    await first().fillDisk('/srv/small', 1024 * 1024);
    const { code, stderr } = await first().tryExec('head -c 2M /dev/zero >/srv/small/file');
    expect(code).not.toBe(0);
    expect(stderr).toContain('No space left on device');
  });

  it('carries any bytes in and out', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) & 255));
    const path = '/srv/it\'s a "file"\n$(touch x)';
    await first().writeFile(path, bytes);
    expect((await first().readBytes(path)).equals(bytes)).toBe(true);
  });
});

describeWith('fleet', "the fleet's packages", () => {
  const hosts = useHosts(1);
  let host: FleetHost;
  beforeEach(async () => {
    const [leased] = hosts();
    if (!leased) throw new Error('no host');
    host = leased;
    await host.reset();
  });

  it('are up to date until a new edition is published', async () => {
    await installDemo(host);
    expect(await host.exec('demo-app; demo-lib; demo-kernel')).toBe(
      'demo-app 1.0\ndemo-lib 1.0\ndemo-kernel 1.0\n',
    );
    expect(await host.exec('apt-get -s upgrade')).not.toContain('Inst ');
    await publish(host, 'v2');
    await host.exec('apt-get -q update >&2');
    const plan = await host.exec('apt-get -s upgrade | grep ^Inst');
    expect(plan.trim().split('\n').sort()).toEqual([
      'Inst demo-app [1.0] (2.0 Debian:12/stable [all])',
      'Inst demo-kernel [1.0] (1.1 Debian-Security:12/stable-security [all])',
      'Inst demo-lib [1.0] (1.0+deb12u1 Debian-Security:12/stable-security [all])',
    ]);
  });

  it('can be held, ask for a reboot, and fail', async () => {
    await installDemo(host, { hold: true, broken: true });
    await publish(host, 'v2');
    const { code } = await host.tryExec('apt-get -q update && apt-get -q -y upgrade');
    expect(code).toBe(100);
    expect(await host.exec('demo-app')).toBe('demo-app 1.0\n');
    expect(await host.readFile('/run/reboot-required.pkgs')).toBe('demo-kernel\n');
    expect(await host.exec('dpkg --audit')).toContain('demo-broken');
  });
});
