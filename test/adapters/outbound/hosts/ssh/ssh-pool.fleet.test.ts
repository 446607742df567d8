import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { SshProcess } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-process.ts';
import { CONTRACT_SCRIPTS } from '../../../../contracts/remote-host.scripts.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { freePort } from '../../../../support/free-port.ts';
import { eventually } from '../../../../support/processes.ts';
import { SshFixture } from './ssh-fixture.ts';

const WAIT = CONTRACT_SCRIPTS.wait;
const LOST = { code: 'host_connection_lost' };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describeWith('ssh', 'SSH connections', () => {
  describe('to an ordinary host', () => {
    const fixture = new SshFixture();

    it('carry one command after the other', async () => {
      const host = await fixture.host();
      for (const number of numbers(5)) await host.run({ script: 'exit "$1"', args: [String(number)] });
      expect(fixture.wire.count).toBe(1);
    });

    it('carry many commands at once, and are few', async () => {
      const host = await fixture.host();
      const results = await Promise.all(
        numbers(100).map((n) => host.run({ script: 'echo "$1"', args: [String(n)] })),
      );
      expect(results.map(({ stdout }) => stdout.toString())).toEqual(numbers(100).map((n) => `${n}\n`));
      expect(fixture.wire.count).toBeLessThanOrEqual(4);
      expect(fixture.wire.count).toBeGreaterThan(1);
    });

    it('are shared by those who connect to the same host in the same way', async () => {
      const hosts = fixture.hosts();
      const opened = await Promise.all(numbers(5).map(() => hosts.connect(fixture.access())));
      await Promise.all(opened.map((host) => host.run({ script: 'true' })));
      expect(fixture.wire.count).toBe(1);
    });

    it('keep nothing of the commands that they have carried', async () => {
      const host = await fixture.host();
      const kept = (): number => queryObjects(SshProcess, { format: 'count' });
      const before = kept();
      for (const number of numbers(20)) await host.run({ script: 'echo "$1"', args: [String(number)] });
      // the last one may still be in use
      await eventually('ended commands are forgotten', 60_000, async () => kept() <= before + 1 || undefined);
      expect(fixture.wire.count).toBe(1);
    });

    it('are kept apart for large transfers, one each', async () => {
      const hosts = fixture.hosts();
      await hosts.connect(fixture.access());
      const bulk = await hosts.connect(fixture.access(), { purpose: 'bulk' });
      expect(fixture.wire.count).toBe(2);
      const transfers = await Promise.all([bulk.open({ script: 'cat' }), bulk.open({ script: 'cat' })]);
      expect(fixture.wire.count).toBe(3);
      for (const { stdin, stdout, stderr } of transfers) {
        stdin.end();
        stdout.resume();
        stderr.resume();
      }
      await Promise.all(transfers.map(({ exit }) => exit));
    });

    it('are closed when unused for a while, and opened again', async () => {
      const host = await fixture.host({ idleMs: 30 });
      await host.run({ script: 'true' });
      await eventually('the connection closes', 60_000, async () => fixture.wire.open === 0 || undefined);
      expect((await host.run({ script: 'exit 3' })).exitCode).toBe(3);
      expect(fixture.wire.count).toBe(2);
    });

    it('are closed early if too many to all hosts are unused, the oldest first', async () => {
      const hosts = fixture.hosts({ idleConnections: 1 });
      const [first, second] = [
        await hosts.connect(fixture.access()),
        await hosts.connect(fixture.access(), { purpose: 'bulk' }),
      ];
      await eventually('one closes', 60_000, async () => fixture.wire.open === 1 || undefined);
      expect((await second.run({ script: 'exit 4' })).exitCode).toBe(4);
      expect(fixture.wire.count).toBe(2);
      expect((await first.run({ script: 'exit 3' })).exitCode).toBe(3);
      expect(fixture.wire.count).toBe(3);
    });

    it('are not closed under a command', async () => {
      const host = await fixture.host({ idleMs: 30 });
      expect((await host.run({ script: 'sleep 0.3; exit 4' })).exitCode).toBe(4);
      expect(fixture.wire.count).toBe(1);
    });

    it('that died without a word are found out when a command needs one, and replaced', async () => {
      const host = await fixture.host({ connectTimeoutMs: 300 });
      await host.run({ script: 'true' });
      fixture.wire.freeze();
      expect((await host.run({ script: 'exit 5' })).exitCode).toBe(5);
      expect(fixture.wire.count).toBe(2);
    });

    it('that died without a word while a command runs are found out by their silence', async () => {
      const host = await fixture.host({ keepaliveIntervalMs: 50, keepaliveCount: 2 });
      const run = expect(host.run({ script: WAIT })).rejects.toMatchObject(LOST);
      const opened = await host.open({ script: WAIT });
      fixture.wire.freeze();
      await expect(opened.exit).rejects.toMatchObject({
        ...LOST,
        message: expect.stringContaining('Keepalive'),
      });
      await run;
    });

    it('that break do not make a command run twice', async () => {
      const host = await fixture.host();
      const file = join(fixture.sshd.directory, 'ran');
      const script = `echo ran >> "$1"; ${WAIT}`;
      const run = host.run({ script, args: [file] });
      await eventually('the command runs', 60_000, async () => readFile(file).catch(() => undefined));
      fixture.wire.cut();
      await expect(run).rejects.toMatchObject(LOST);
      await host.run({ script: 'true' });
      expect(await readFile(file, 'utf8')).toBe('ran\n');
    });

    it('that cannot be made fail all who wait for one', async () => {
      const hosts = fixture.hosts();
      const access = fixture.access({ port: await freePort() });
      const results = await Promise.allSettled(numbers(20).map(() => hosts.connect(access)));
      for (const result of results) {
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'host_unreachable' } });
      }
    });

    it('that cannot be opened are shared meanwhile', async () => {
      const host = await fixture.host({ handshakeTimeoutMs: 2_000 });
      fixture.wire.freezeNew();
      const results = await Promise.all(numbers(30).map(() => host.run({ script: 'sleep 0.05' })));
      expect(results.every(({ exitCode }) => exitCode === 0)).toBe(true);
    });

    it('that are full let commands wait in order, and let those that give up leave', async () => {
      const host = await fixture.host({ sessionsPerConnection: 1, connectionsPerHost: 1 });
      const first = await host.open({ script: 'exec sleep 300' });
      const gaveUp = new Error('gave up');
      const abort = new AbortController();
      const second = expect(host.run({ script: 'true' }, { signal: abort.signal })).rejects.toBe(gaveUp);
      const timedOut = expect(host.run({ script: 'true' }, { timeoutMs: 100 })).rejects.toMatchObject({
        code: 'host_timeout',
      });
      const third = host.run({ script: 'exit 6' });
      await sleep(50);
      abort.abort(gaveUp);
      await Promise.all([second, timedOut]);
      first.kill();
      expect((await third).exitCode).toBe(6);
      expect(fixture.wire.count).toBe(1);
    });

    it('end with what runs on them when all are closed, for good', async () => {
      const hosts = fixture.hosts();
      const host = await hosts.connect(fixture.access());
      const opened = await host.open({ script: WAIT });
      const run = expect(host.run({ script: WAIT })).rejects.toMatchObject(LOST);
      await hosts.closeAll();
      await expect(opened.exit).rejects.toMatchObject(LOST);
      await run;
      expect(fixture.wire.open).toBe(0);
      await expect(hosts.connect(fixture.access())).rejects.toMatchObject(LOST);
      await expect(host.run({ script: 'true' })).rejects.toMatchObject(LOST);
    });

    it('to hosts that no longer answer are closed all the same', async () => {
      const hosts = fixture.hosts();
      await hosts.connect(fixture.access());
      fixture.wire.freeze();
      await hosts.closeAll();
    });
  });

  describe('to a host that allows two sessions each', () => {
    const fixture = new SshFixture(['MaxSessions 2']);

    it('carry no more than that, and every command is run', async () => {
      const host = await fixture.host();
      const results = await Promise.all(
        numbers(30).map((n) => host.run({ script: 'echo "$1"', args: [String(n)] })),
      );
      expect(results.map(({ stdout }) => stdout.toString())).toEqual(numbers(30).map((n) => `${n}\n`));
      expect(fixture.wire.count).toBeLessThanOrEqual(4);
    });
  });

  describe('to a host that allows one session each', () => {
    const fixture = new SshFixture(['MaxSessions 1']);

    it('carry one command straight after the other', async () => {
      const host = await fixture.host({ connectionsPerHost: 1 });
      for (const number of numbers(50)) {
        const { exitCode } = await host.run({ script: 'exit "$1"', args: [String(number)] });
        expect(exitCode).toBe(number);
      }
      expect(fixture.wire.count).toBe(1);
    });
  });

  describe('to a host that allows no session at all', () => {
    const fixture = new SshFixture(['MaxSessions 0']);

    it('say so', async () => {
      const host = await fixture.host();
      await expect(host.run({ script: 'true' })).rejects.toMatchObject({
        code: 'host_unsupported',
        message: expect.stringContaining('MaxSessions'),
      });
    });
  });
});
