import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LocalRemoteHosts } from '../../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { LocalAccess, RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { remoteHostContract } from '../../../../contracts/remote-host.contract.ts';

const access: LocalAccess = { kind: 'local', serverId: 1, serverName: 'self', become: 'sudo' };

remoteHostContract('this machine', async () => ({
  hosts: new LocalRemoteHosts(),
  access,
  close: async () => undefined,
}));

describe('LocalRemoteHosts', () => {
  let directory: string;
  const hosts = new LocalRemoteHosts();
  const SUDO = { ask: 'echo "sudo: a password is required" >&2; exit 1', pass: 'shift 2; exec "$@"' };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-local-'));
  });
  afterEach(() => hosts.closeAll());
  afterAll(() => rm(directory, { recursive: true }));

  /** A machine on which the service is an unprivileged user and sudo is a script. */
  const withSudo = async (script: string): Promise<RemoteHost> => {
    await writeFile(join(directory, 'sudo'), `#!/bin/sh\n${script}\n`);
    await chmod(join(directory, 'sudo'), 0o755);
    const path = `${directory}:/usr/bin:/bin`;
    return new LocalRemoteHosts({ path, isRoot: false }).connect(access);
  };

  it('gives commands a separate environment and not that of the service', async () => {
    const host = await hosts.connect(access);
    const { stdout } = await host.run({ script: 'env; pwd' });
    const names = stdout.toString().match(/^\w+(?==)/gm);
    const own = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'TMPDIR', 'USER'];
    expect(names?.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).sort()).toEqual(own);
    expect(stdout.toString()).toContain('LC_ALL=C\n');
    expect(stdout.toString().trimEnd().split('\n').at(-1)).toBe(userInfo().homedir);
  });

  it('ends what a command started together with it', async () => {
    const host = await hosts.connect(access);
    const file = join(directory, 'pids');
    const script = 'sleep 300 & echo $! > "$1"; (trap "" TERM; sleep 300) & wait';
    await expect(host.run({ script, args: [file] }, { timeoutMs: 300 })).rejects.toMatchObject({
      code: 'host_timeout',
    });
    const pid = (await readFile(file, 'utf8')).trim();
    expect((await host.run({ script: 'kill -0 "$1"', args: [pid] })).exitCode).not.toBe(0);
  });

  it('leaves alone what a command moved to a separate session', async () => {
    const host = await hosts.connect(access);
    const opened = await host.open({
      script: 'setsid sleep 300 </dev/null >/dev/null 2>&1 & echo $!; exec sleep 300',
    });
    opened.stderr.resume();
    const pid = await new Promise<string>((resolve) => {
      opened.stdout.once('data', (line: Buffer) => resolve(line.toString().trim()));
    });
    opened.stdout.resume();
    // setsid(1) has its session a moment after the shell has printed its pid
    const session = 'cut -d" " -f6 "/proc/$1/stat"';
    await vi.waitFor(async () => {
      const { stdout } = await host.run({ script: session, args: [pid] });
      expect(stdout.toString().trim()).toBe(pid);
    });
    opened.kill();
    await opened.exit;
    expect((await host.run({ script: 'kill -KILL "$1"', args: [pid] })).exitCode).toBe(0);
  });

  it('does not wait forever for a pipe that another process holds', async () => {
    const host = await hosts.connect(access);
    const ended = host.run({ script: 'setsid sleep 3 & exit 0' }, { timeoutMs: 300 });
    await expect(ended).rejects.toMatchObject({ code: 'host_timeout' });
  });

  it('ends running commands when it is closed', async () => {
    const own = new LocalRemoteHosts();
    const host = await own.connect(access);
    const running = expect(host.run({ script: 'exec sleep 300' })).rejects.toMatchObject({
      code: 'host_connection_lost',
    });
    const opened = await host.open({ script: 'exec sleep 300' });
    await own.closeAll();
    await expect(opened.exit).rejects.toMatchObject({ code: 'host_connection_lost' });
    await running;
  });

  it('runs as root by way of sudo where asked', async () => {
    const host = await withSudo(`echo used >> ${join(directory, 'log')}; ${SUDO.pass}`);
    const asked = await host.run({ script: 'printf %s "$1"; exit 3', args: ['$(id)'], asRoot: true });
    expect(asked).toMatchObject({ exitCode: 3, stdout: Buffer.from('$(id)') });
    expect(await readFile(join(directory, 'log'), 'utf8')).toBe('used\nused\n');
    await host.run({ script: 'true' });
    expect(await readFile(join(directory, 'log'), 'utf8')).toBe('used\nused\n');
  });

  it('ends by way of sudo what was started by way of sudo', async () => {
    const host = await withSudo(`echo "$*" >> ${join(directory, 'log')}; ${SUDO.pass}`);
    const ended = host.run({ script: 'exec sleep 300', asRoot: true }, { timeoutMs: 300 });
    await expect(ended).rejects.toMatchObject({ code: 'host_timeout' });
    expect(await readFile(join(directory, 'log'), 'utf8')).toMatch(
      /^-n -- sh -c kill "-\$1" "-\$2" drover TERM \d+$/m,
    );
  });

  it('says what to change where sudo wants a password', async () => {
    const host = await withSudo(SUDO.ask);
    await expect(host.run({ script: 'true', asRoot: true })).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringContaining(`${userInfo().username} ALL=(ALL) NOPASSWD: ALL`),
    });
  });

  it('says so if there is no sudo', async () => {
    const host = await new LocalRemoteHosts({ path: '/nonexistent', isRoot: false }).connect(access);
    await expect(host.run({ script: 'true', asRoot: true })).rejects.toMatchObject({
      code: 'host_command_failed',
      message: expect.stringContaining('sudo is not installed on "self"'),
    });
    await expect(host.run({ script: 'true' })).rejects.toMatchObject({ code: 'host_command_failed' });
  });

  it('needs no sudo where the service is root', async () => {
    const host = await new LocalRemoteHosts({ isRoot: true }).connect(access);
    expect((await host.run({ script: 'exit 4', asRoot: true })).exitCode).toBe(4);
  });

  it('has no host key', async () => {
    await expect(hosts.scanHostKey(access)).rejects.toMatchObject({ code: 'host_unsupported' });
  });
});
