import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  HostAccess,
  HostProcess,
  RemoteHost,
  RemoteHosts,
} from '../../src/application/ports/fleet/remote-host.ts';
import { CONTRACT_SCRIPTS, NASTY_ARGUMENTS } from './remote-host.scripts.ts';

export interface RemoteHostSubject {
  readonly hosts: RemoteHosts;
  readonly access: HostAccess;
  close(): Promise<void>;
}

/** In which a command that prints six letters ends, on slow machines too. */
const ENDED_MS = 500;

const text = (bytes: Buffer): string => bytes.toString('utf8');

async function nextChunk(stream: Readable): Promise<Buffer> {
  const [chunk]: unknown[] = await once(stream, 'data');
  if (Buffer.isBuffer(chunk)) return chunk;
  throw new TypeError('a host process gives bytes');
}

/** The contract of `RemoteHost`. Needs a host with sh, cat, head, printf, kill and sleep. */
export function remoteHostContract(name: string, makeSubject: () => Promise<RemoteHostSubject>): void {
  describe(`RemoteHost: ${name}`, () => {
    let subject: RemoteHostSubject;
    let host: RemoteHost;
    const { args, exit, die, both, cat, zeros, talk, hang, stubborn, alive } = CONTRACT_SCRIPTS;

    beforeAll(async () => {
      subject = await makeSubject();
      host = await subject.hosts.connect(subject.access);
    });
    afterAll(async () => {
      host.release();
      await subject.hosts.closeAll();
      await subject.close();
    });

    /** Opens a script that prints its process id first. */
    const start = async (
      script: string,
      signal?: AbortSignal,
    ): Promise<{ process: HostProcess; pid: string }> => {
      const process = await host.open({ script }, signal ? { signal } : {});
      const line = await nextChunk(process.stdout);
      process.stdout.resume();
      process.stderr.resume();
      return { process, pid: text(line).trim() };
    };
    const isAlive = async (pid: string): Promise<boolean> =>
      (await host.run({ script: alive, args: [pid] })).exitCode === 0;

    describe('run', () => {
      it.each([0, 1, 2, 77, 255])('gives the exit code %i as a result', async (code) => {
        const result = await host.run({ script: exit, args: [String(code)] });
        expect(result).toMatchObject({ exitCode: code, signal: null, truncated: false });
      });

      it.each(['TERM', 'KILL', 'HUP'])('names the signal %s that ended the command', async (signal) => {
        const result = await host.run({ script: die, args: [signal] });
        expect(result).toMatchObject({ exitCode: null, signal: `SIG${signal}` });
      });

      it('keeps the two output streams apart', async () => {
        const result = await host.run({ script: both });
        expect([text(result.stdout), text(result.stderr)]).toEqual(['out', 'err']);
      });

      it('passes nothing if nothing is given', async () => {
        expect(text((await host.run({ script: args })).stdout)).toBe('0\0');
        expect((await host.run({ script: cat })).stdout).toHaveLength(0);
      });

      it('passes every argument unchanged, all at once', async () => {
        const result = await host.run({ script: args, args: NASTY_ARGUMENTS });
        expect(text(result.stdout).split('\0').slice(1, -1)).toEqual(NASTY_ARGUMENTS);
      });

      it.each(NASTY_ARGUMENTS.map((argument) => [JSON.stringify(argument), argument]))(
        'passes %s unchanged, and none of it runs',
        async (_, argument) => {
          const result = await host.run({ script: args, args: [argument] });
          expect(result).toMatchObject({ exitCode: 0, signal: null });
          expect([text(result.stdout), text(result.stderr)]).toEqual([`1\0${argument}\0`, '']);
        },
      );

      it('passes every byte of standard input both ways', async () => {
        const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
        const result = await host.run({ script: cat, stdin: all });
        expect(result.stdout).toEqual(all);
      });

      it('passes text on standard input as UTF-8', async () => {
        expect(text((await host.run({ script: cat, stdin: 'größe\n' })).stdout)).toBe('größe\n');
      });

      it('carries 2 MiB in and out', async () => {
        const data = randomBytes(2 * 1024 * 1024);
        const result = await host.run({ script: cat, stdin: data }, { maxOutputBytes: data.length });
        expect(result.truncated).toBe(false);
        expect(result.stdout.equals(data)).toBe(true);
      });

      it('survives a command that ends without reading its input', async () => {
        const result = await host.run({ script: exit, args: ['3'], stdin: Buffer.alloc(4 * 1024 * 1024) });
        expect(result.exitCode).toBe(3);
      });

      it('keeps as much output as asked for and drops the rest', async () => {
        const result = await host.run({ script: zeros, args: ['5000000'] }, { maxOutputBytes: 1000 });
        expect(result).toMatchObject({ exitCode: 0, truncated: true });
        expect(result.stdout).toHaveLength(1000);
      });

      it('does not call output truncated that fits exactly', async () => {
        const result = await host.run({ script: zeros, args: ['1000'] }, { maxOutputBytes: 1000 });
        expect(result).toMatchObject({ truncated: false, stdout: Buffer.alloc(1000) });
      });

      it('keeps 1 MiB a stream by default', async () => {
        const result = await host.run({ script: zeros, args: ['1500000'] });
        expect(result.truncated).toBe(true);
        expect(result.stdout).toHaveLength(1024 * 1024);
      });

      it('runs 50 commands at once and mixes nothing up', async () => {
        const results = await Promise.all(
          Array.from({ length: 50 }, (_, i) => host.run({ script: cat, stdin: `command ${i}` })),
        );
        expect(results.map(({ stdout }) => text(stdout))).toEqual(
          Array.from({ length: 50 }, (_, i) => `command ${i}`),
        );
      });

      it.each([
        ['a NUL in an argument', { script: cat, args: ['a\0b'] }],
        ['a NUL in the script', { script: 'cat\0' }],
        ['half of a surrogate pair', { script: cat, args: ['\ud800'] }],
        [
          'arguments that no command line holds',
          { script: cat, args: ['x'.repeat(60_000), 'y'.repeat(60_000)] },
        ],
      ])('refuses %s', async (_, command) => {
        await expect(host.run(command)).rejects.toMatchObject({ code: 'invalid_input' });
        await expect(host.open(command)).rejects.toMatchObject({ code: 'invalid_input' });
      });

      it('takes arguments of 90,000 bytes', async () => {
        const long = 'x'.repeat(90_000);
        const result = await host.run({ script: args, args: [long] });
        expect(text(result.stdout)).toBe(`1\0${long}\0`);
      });
    });

    describe('timeout and abort', () => {
      it('ends a command that takes too long', async () => {
        const ended = host.run({ script: hang }, { timeoutMs: 200 });
        await expect(ended).rejects.toMatchObject({
          code: 'host_timeout',
          message: expect.stringContaining('0.2 s'),
        });
      });

      it('does not start when aborted already, and throws the reason', async () => {
        const reason = new Error('cancelled by a test');
        const signal = AbortSignal.abort(reason);
        await expect(host.run({ script: cat }, { signal })).rejects.toBe(reason);
        await expect(host.open({ script: cat }, { signal })).rejects.toBe(reason);
        await expect(subject.hosts.connect(subject.access, { signal })).rejects.toBe(reason);
      });

      it.each([
        ['a command', hang],
        ['a command that ignores TERM', stubborn],
      ])('ends %s when aborted, before the reason is thrown', async (_, script) => {
        const abort = new AbortController();
        const reason = new Error('cancelled by a test');
        let pid = '';
        // the id comes through a second, opened command that behaves in the same way
        const opened = await start(script, abort.signal);
        pid = opened.pid;
        const run = host.run({ script }, { signal: abort.signal });
        expect(await isAlive(pid)).toBe(true);
        abort.abort(reason);
        await expect(run).rejects.toBe(reason);
        await opened.process.exit;
        expect(await isAlive(pid)).toBe(false);
      });

      it('goes on with the next command', async () => {
        await expect(host.run({ script: hang }, { timeoutMs: 50 })).rejects.toMatchObject({
          code: 'host_timeout',
        });
        expect((await host.run({ script: exit, args: ['0'] })).exitCode).toBe(0);
      });
    });

    describe('open', () => {
      it('talks both ways while the command runs', async () => {
        const process = await host.open({ script: talk });
        for (const word of ['one', 'two', 'three']) {
          process.stdin.write(`${word}\n`);
          expect(text(await nextChunk(process.stdout))).toBe(`got ${word}\n`);
        }
        process.stdin.end();
        process.stderr.resume();
        await expect(process.exit).resolves.toEqual({ exitCode: 0, signal: null });
      });

      it('writes the given standard input first and leaves the stream open', async () => {
        const process = await host.open({ script: cat, stdin: 'first ' });
        process.stdin.end('second');
        process.stderr.resume();
        expect(text(await buffer(process.stdout))).toBe('first second');
        await process.exit;
      });

      it('holds little of what is not read yet, and loses none of it', async () => {
        const size = 30_000_000;
        const process = await host.open({ script: zeros, args: [String(size)] });
        process.stderr.resume();
        let read = 0;
        let most = 0;
        for await (const chunk of process.stdout) {
          read += Buffer.byteLength(chunk);
          most = Math.max(most, process.stdout.readableLength);
        }
        await process.exit;
        expect(read).toBe(size);
        expect(most).toBeLessThanOrEqual(4 * 1024 * 1024);
      });

      it('keeps the output of a command that ended before anyone read it', async () => {
        const process = await host.open({ script: both });
        process.stdin.end();
        await sleep(ENDED_MS);
        expect(text(await buffer(process.stdout))).toBe('out');
        expect(text(await buffer(process.stderr))).toBe('err');
        await expect(process.exit).resolves.toEqual({ exitCode: 0, signal: null });
      });

      it('settles after kill() without a reader', async () => {
        const process = await host.open({ script: both });
        await sleep(ENDED_MS);
        process.kill();
        await process.exit;
      });

      it('takes no more than it can pass on', async () => {
        const { process } = await start(hang);
        let written = 0;
        while (written < 64 * 1024 * 1024 && process.stdin.write(Buffer.alloc(65536))) written += 65536;
        expect(written).toBeLessThan(32 * 1024 * 1024);
        process.kill();
        await process.exit;
      });

      it('ends the command by kill(), as often as one likes', async () => {
        const { process, pid } = await start(hang);
        process.kill();
        process.kill();
        const ended = await process.exit;
        expect(ended.exitCode === 0).toBe(false);
        process.kill();
        expect(await isAlive(pid)).toBe(false);
      });
    });

    describe('release', () => {
      it('may be called twice, and the host opened again', async () => {
        const again = await subject.hosts.connect(subject.access, { purpose: 'bulk' });
        expect((await again.run({ script: exit, args: ['4'] })).exitCode).toBe(4);
        again.release();
        again.release();
        const third = await subject.hosts.connect(subject.access);
        expect((await third.run({ script: exit, args: ['5'] })).exitCode).toBe(5);
        third.release();
      });

      it('lets a running command end normally', async () => {
        const again = await subject.hosts.connect(subject.access);
        const process = await again.open({ script: cat });
        again.release();
        process.stdin.end('still here');
        process.stderr.resume();
        expect(text(await buffer(process.stdout))).toBe('still here');
        await expect(process.exit).resolves.toEqual({ exitCode: 0, signal: null });
      });
    });
  });
}
