import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { eventually } from '../../../../support/processes.ts';
import { SshFixture } from './ssh-fixture.ts';

/** Runs the requested command, as a login shell does after its start-up files. */
const AS_ASKED = 'exec sh -c "$SSH_ORIGINAL_COMMAND"';

describeWith('ssh', 'commands over SSH', () => {
  describe('on an ordinary host', () => {
    const fixture = new SshFixture();
    const isAlive = async (host: RemoteHost, pid: string): Promise<boolean> =>
      (await host.run({ script: 'kill -0 "$1"', args: [pid] })).exitCode === 0;
    const pidIn = (name: string): Promise<string> =>
      eventually(`${name} is written`, 60_000, async () => {
        const text = await readFile(join(fixture.sshd.directory, name), 'utf8').catch(() => '');
        return text.endsWith('\n') ? text.trim() : undefined;
      });

    it('find the programs in sbin directories', async () => {
      const { stdout } = await (await fixture.host()).run({ script: 'printf %s "$PATH"' });
      expect(stdout.toString().split(':')).toEqual(
        expect.arrayContaining(['/usr/local/sbin', '/usr/sbin', '/sbin']),
      );
    });

    it('are ended together with what they started, even where that ignores TERM', async () => {
      const host = await fixture.host();
      const file = join(fixture.sshd.directory, 'child');
      const script = '(trap "" TERM; exec sleep 300) & echo $! > "$1"; wait';
      const run = host.run({ script, args: [file] }, { timeoutMs: 1_000 });
      const pid = await pidIn('child');
      await expect(run).rejects.toMatchObject({ code: 'host_timeout' });
      // the process that adopted it has to notice its end as well
      await eventually('the child is gone', 60_000, async () => !(await isAlive(host, pid)) || undefined);
    });

    it('are ended without what they moved to a separate session', async () => {
      const host = await fixture.host();
      const file = join(fixture.sshd.directory, 'detached');
      // It prints its identity once it has its session.
      const moved = `setsid sh -c 'echo $$ > "$1"; exec sleep 300' sh "$1"`;
      const script = `${moved} </dev/null >/dev/null 2>&1 & exec sleep 300`;
      const opened = await host.open({ script, args: [file] });
      const pid = await pidIn('detached');
      opened.kill();
      await opened.exit;
      expect((await host.run({ script: 'kill -KILL "$1"', args: [pid] })).exitCode).toBe(0);
    });

    it('are not awaited if another process holds their output', async () => {
      const host = await fixture.host();
      const ended = host.run({ script: 'setsid sleep 3 & exit 0' }, { timeoutMs: 300 });
      await expect(ended).rejects.toMatchObject({ code: 'host_timeout' });
    });

    it('are all ended when many are aborted at once', async () => {
      const host = await fixture.host();
      const abort = new AbortController();
      const started = await Promise.all(
        Array.from({ length: 20 }, () => host.open({ script: 'exec sleep 300' }, { signal: abort.signal })),
      );
      abort.abort(new Error('cancelled by a test'));
      const ends = await Promise.all(started.map(({ exit }) => exit));
      expect(ends).toEqual(Array.from({ length: 20 }, () => ({ exitCode: null, signal: 'SIGTERM' })));
    });

    it('are ended when their output is no longer read', async () => {
      const host = await fixture.host();
      const opened = await host.open({ script: 'while :; do echo more; done' });
      opened.stderr.resume();
      for await (const _ of opened.stdout) break;
      await expect(opened.exit).resolves.toMatchObject({ exitCode: null });
    });

    it('leave their place to others, however they end', async () => {
      const host = await fixture.host({ sessionsPerConnection: 1, connectionsPerHost: 1 });
      const opened = await host.open({ script: 'exec sleep 300' });
      opened.kill();
      await host.run({ script: 'exit 1' });
      await host.run({ script: 'exec sleep 300' }, { timeoutMs: 100 }).catch(() => undefined);
      expect((await host.run({ script: 'exit 5' })).exitCode).toBe(5);
      expect(fixture.wire.count).toBe(1);
    });
  });

  describe('on a host that changes the keys of a connection very often', () => {
    const fixture = new SshFixture(['RekeyLimit 1M']);

    it('lose nothing of a large transfer', async () => {
      const host = await fixture.host();
      const data = randomBytes(20_000_000);
      const result = await host.run({ script: 'cat', stdin: data }, { maxOutputBytes: data.length });
      expect(result.stdout.equals(data)).toBe(true);
      expect(fixture.wire.count).toBe(1);
    });
  });

  describe('on a host whose start-up files print', () => {
    const fixture = new SshFixture([`ForceCommand echo noise; printf more; echo noise >&2; ${AS_ASKED}`]);

    it('give their own output and nothing else', async () => {
      const result = await (await fixture.host()).run({ script: 'echo out; echo err >&2; cat', stdin: 'in' });
      expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out\nin', 'err\n']);
    });
  });

  describe('on a host whose start-up files print very much', () => {
    const fixture = new SshFixture([`ForceCommand head -c 3000000 /dev/zero; ${AS_ASKED}`]);

    it('give their own output and nothing else', async () => {
      const result = await (await fixture.host()).run({ script: 'echo out' });
      expect(result.stdout.toString()).toBe('out\n');
    });
  });

  describe('on a host that runs something else instead', () => {
    const fixture = new SshFixture(['ForceCommand echo "only backups here"']);

    it('fail with what it said', async () => {
      const host = await fixture.host();
      await expect(host.run({ script: 'true' })).rejects.toMatchObject({
        code: 'host_unsupported',
        message: expect.stringContaining('only backups here'),
      });
      await expect(host.open({ script: 'true' })).rejects.toMatchObject({ code: 'host_unsupported' });
    });
  });

  describe('on a host whose start-up files never end', () => {
    const fixture = new SshFixture([`ForceCommand sleep 3; ${AS_ASKED}`]);

    it('fail in time, and the command never runs', async () => {
      const file = join(fixture.sshd.directory, 'ran');
      const host = await fixture.host({ startTimeoutMs: 200 });
      const opening = host.open({ script: 'echo ran > "$1"', args: [file] });
      await expect(opening).rejects.toMatchObject({ code: 'host_timeout' });
    });
  });

  describeWith('root', 'as a user without a shell', () => {
    const fixture = new SshFixture();

    it('fail with what the system says', async () => {
      const host = await fixture.host({}, { username: 'nobody' });
      await expect(host.run({ script: 'true' })).rejects.toMatchObject({
        code: 'host_unsupported',
        message: expect.stringMatching(/user "nobody" .* does not run commands \(it said: This account/),
      });
    });
  });
});
