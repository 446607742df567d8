import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SshOptions } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-options.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { SshAccess } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { remoteHostContract } from '../../../../contracts/remote-host.contract.ts';
import { NASTY_ARGUMENTS } from '../../../../contracts/remote-host.scripts.ts';
import { ROOT } from '../../../../docs/markdown.ts';
import { AS_DROVER, accessTo } from '../../../../fleet/access.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';

const LOST = { code: 'host_connection_lost' };
const SUDOERS = '/etc/sudoers.d/drover';

const guide = await readFile(join(ROOT, 'docs/how-to/ssh-account.md'), 'utf8');
const sudoersOfTheGuide = [...guide.matchAll(/^```\n([^`]*NOPASSWD[^`]*)```$/gm)].map(
  ([, lines = '']) => lines,
);

describeWith('fleet', 'SSH to a real host', () => {
  const fleetHost = useHost();
  let hosts = new SshRemoteHosts();

  const connect = (changes: Partial<SshAccess> = {}, options: Partial<SshOptions> = {}) => {
    hosts = new SshRemoteHosts(options);
    return hosts.connect(accessTo(fleetHost(), changes));
  };

  afterEach(() => hosts.closeAll());

  remoteHostContract('a real host, as a plain user', async () => ({
    hosts: new SshRemoteHosts(),
    access: accessTo(fleetHost(), AS_DROVER),
    close: async () => undefined,
  }));

  describe('as root by way of sudo', () => {
    let sudoers: string;
    beforeAll(async () => {
      sudoers = await fleetHost().readFile(SUDOERS);
    });
    afterEach(() => fleetHost().writeFile(SUDOERS, sudoers));

    it('runs only what asks for it', async () => {
      const host = await connect(AS_DROVER);
      const script = 'id -u; echo "$LC_ALL"; cat; exit 3';
      const asRoot = await host.run({ script, asRoot: true, stdin: 'in' });
      expect(asRoot).toMatchObject({ exitCode: 3, stdout: Buffer.from('0\nC\nin') });
      const plain = await host.run({ script, stdin: 'in' });
      expect(plain).toMatchObject({ exitCode: 3, stdout: Buffer.from('1000\nC\nin') });
    });

    it('runs as the login where the server has no sudo set', async () => {
      const host = await connect({ username: 'drover' });
      expect((await host.run({ script: 'id -u', asRoot: true })).stdout.toString()).toBe('1000\n');
    });

    it('passes every argument unchanged', async () => {
      const host = await connect(AS_DROVER);
      const { stdout } = await host.run({
        script: 'printf "%s\\0" "$@"',
        args: NASTY_ARGUMENTS,
        asRoot: true,
      });
      expect(stdout.toString().split('\0').slice(0, -1)).toEqual(NASTY_ARGUMENTS);
    });

    it.each(['exec sleep 300', 'trap "" TERM; while :; do sleep 0.1; done'])(
      'is ended like any other: %s',
      async (script) => {
        const host = await connect(AS_DROVER);
        const run = host.run(
          { script: `echo marker >/dev/null; ${script}`, asRoot: true },
          { timeoutMs: 300 },
        );
        await expect(run).rejects.toMatchObject({ code: 'host_timeout' });
        expect((await fleetHost().tryExec('pgrep -f "[e]cho marker"')).code).toBe(1);
      },
    );

    it('has lines to try', () => expect(sudoersOfTheGuide).toHaveLength(3));

    it.each(sudoersOfTheGuide)('works with the lines of docs/how-to/ssh-account.md: %s', async (lines) => {
      await fleetHost().writeFile(SUDOERS, lines);
      await fleetHost().exec(`visudo -c -f ${SUDOERS}`);
      const host = await connect(AS_DROVER);
      expect((await host.run({ script: 'id -u', asRoot: true })).stdout.toString()).toBe('0\n');
      const endless = host.run({ script: 'exec sleep 300', asRoot: true }, { timeoutMs: 300 });
      await expect(endless).rejects.toMatchObject({ code: 'host_timeout' });
    });

    it('says what to change where sudo wants a password', async () => {
      await fleetHost().writeFile(SUDOERS, 'drover ALL=(ALL) ALL\n');
      const host = await connect(AS_DROVER);
      await expect(host.run({ script: 'true', asRoot: true })).rejects.toMatchObject({
        code: 'host_command_failed',
        message: expect.stringContaining('drover ALL=(ALL) NOPASSWD: ALL'),
      });
      expect((await host.run({ script: 'exit 4' })).exitCode).toBe(4);
    });

    it('says what to change where sudo does not know the user', async () => {
      await fleetHost().writeFile(SUDOERS, '\n');
      const host = await connect(AS_DROVER);
      await expect(host.run({ script: 'true', asRoot: true })).rejects.toMatchObject({
        code: 'host_command_failed',
        message: expect.stringContaining('NOPASSWD'),
      });
    });

    it('says so if there is no sudo', async () => {
      await fleetHost().exec('mv /usr/bin/sudo /usr/bin/sudo.away');
      try {
        const host = await connect(AS_DROVER);
        await expect(host.run({ script: 'true', asRoot: true })).rejects.toMatchObject({
          code: 'host_command_failed',
          message: expect.stringContaining('sudo is not installed'),
        });
      } finally {
        await fleetHost().exec('mv /usr/bin/sudo.away /usr/bin/sudo');
      }
    });
  });

  describe('that goes away', () => {
    const alert = { keepaliveIntervalMs: 200, keepaliveCount: 2, connectTimeoutMs: 500 };

    it('behind a cut link, ends commands, refuses connections in time, and comes back', async () => {
      const host = await connect({}, alert);
      const opened = await host.open({ script: 'exec sleep 300' });
      await fleetHost().cut();
      try {
        await expect(opened.exit).rejects.toMatchObject(LOST);
        await expect(host.run({ script: 'true' })).rejects.toMatchObject({
          code: 'host_unreachable',
          message: expect.stringContaining(fleetHost().address),
        });
      } finally {
        await fleetHost().heal();
      }
      const back = await connect({}, { connectTimeoutMs: 10_000 });
      expect((await back.run({ script: 'exit 5' })).exitCode).toBe(5);
    });

    it('behind a cut link, releases a command that is aborted', async () => {
      const host = await connect({}, { connectTimeoutMs: 500 });
      const abort = new AbortController();
      const opened = await host.open({ script: 'exec sleep 300' });
      const run = host.run({ script: 'exec sleep 300' }, { signal: abort.signal });
      await host.run({ script: 'true' });
      await fleetHost().cut();
      try {
        const reason = new Error('cancelled by a test');
        abort.abort(reason);
        opened.kill();
        await expect(run).rejects.toBe(reason);
        await expect(opened.exit).rejects.toMatchObject({
          ...LOST,
          message: expect.stringContaining('may still be running'),
        });
      } finally {
        await fleetHost().heal();
      }
    });

    it('without power, ends commands and takes new ones once it is back', async () => {
      const host = await connect({}, alert);
      const opened = await host.open({ script: 'exec sleep 300' });
      await fleetHost().powerOff();
      await expect(opened.exit).rejects.toMatchObject(LOST);
      await fleetHost().start();
      expect((await host.run({ script: 'exit 6' })).exitCode).toBe(6);
    });

    it('by ending its connections, ends commands and takes new ones at once', async () => {
      const host = await connect();
      const opened = await host.open({ script: 'exec sleep 300' });
      await fleetHost().killConnections();
      await expect(opened.exit).rejects.toMatchObject(LOST);
      expect((await host.run({ script: 'exit 7' })).exitCode).toBe(7);
    });
  });
});
