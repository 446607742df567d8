import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { WarmShells } from '../../../../../src/adapters/outbound/hosts/jail/remote/warm-shells.ts';
import type {
  HostProcess,
  ProcessExit,
  RemoteHost,
} from '../../../../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../../src/domain/base/errors.ts';
import { HERE } from './here.ts';

const LOST = new DomainError('host_connection_lost', 'Cut.');

/** A shell of a host that answers as the test says. */
class FakeShell implements HostProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit: Promise<ProcessExit>;
  readonly asked: string[][] = [];
  killed = false;
  ended = false;
  #lose: (error: Error) => void = () => undefined;
  #end: (exit: ProcessExit) => void = () => undefined;

  /** `answer`: its output for a call; `null`: never any. */
  constructor(answer: (lines: readonly string[]) => string | null) {
    this.exit = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#lose = reject;
    });
    this.exit.catch(() => undefined);
    this.stdin.on('data', (chunk: Buffer) => {
      const lines = chunk.toString().split('\n').slice(0, -1);
      this.asked.push(lines);
      const said = answer(lines);
      if (said === null) return;
      const end = `\n${lines[1]} over\n`;
      // in pieces, as networks do
      for (const piece of [said, end.slice(0, 3), end.slice(3)]) if (piece !== '') this.stdout.write(piece);
      this.stderr.write(end);
    });
    this.stdin.on('end', () => {
      this.ended = true;
      this.#end({ exitCode: 0, signal: null });
    });
  }

  lose(): void {
    this.#lose(LOST);
  }

  kill(): void {
    this.killed = true;
    this.#end({ exitCode: null, signal: 'SIGTERM' });
  }
}

let shells: FakeShell[];
let answers: (lines: readonly string[]) => string | null;
let host: RemoteHost;
let marks: number;
beforeEach(() => {
  shells = [];
  marks = 0;
  answers = ([what]) => `did ${what}`;
  host = {
    open: async () => {
      const shell = new FakeShell((lines) => answers(lines));
      shells.push(shell);
      return shell;
    },
    run: () => Promise.reject(new Error('not asked for')),
    release: () => undefined,
  };
});

const conversation = (
  what: string,
  more: { repeatable?: boolean; signal?: AbortSignal; ms?: number } = {},
) => {
  marks += 1;
  const { repeatable = true, signal, ms = 5_000 } = more;
  const lines: [string, string, ...string[]] = [what, `mark-${marks}`, '/srv', '', '', '', ''];
  return { lines, most: 1_000, timeoutMs: ms, repeatable, ...(signal ? { signal } : {}) };
};

describe('warm shells', () => {
  it('are used again by one call after the other', async () => {
    const ask = new WarmShells().of(HERE, host);
    for (const what of ['one', 'two', 'three']) {
      expect((await ask(conversation(what))).stdout.toString()).toBe(`did ${what}`);
    }
    expect(shells).toHaveLength(1);
    expect(shells[0]?.asked[2]).toEqual(['three', 'mark-3', '/srv', '', '', '', '']);
  });

  it('are several for several calls at once, of which one stays', async () => {
    const ask = new WarmShells().of(HERE, host);
    await Promise.all([ask(conversation('a')), ask(conversation('b')), ask(conversation('c'))]);
    expect(shells).toHaveLength(3);
    await new Promise(setImmediate);
    expect(shells.filter(({ ended }) => ended)).toHaveLength(2);
    await ask(conversation('d'));
    expect(shells).toHaveLength(3);
  });

  it('are for one login alone, and none stays on a connection for bulk', async () => {
    const warm = new WarmShells();
    await warm.of(HERE, host)(conversation('a'));
    await warm.of({ ...HERE, serverId: 2 }, host)(conversation('b'));
    expect(shells).toHaveLength(2);
    const bulk = warm.of(HERE, host, { purpose: 'bulk' });
    await bulk(conversation('c'));
    await bulk(conversation('d'));
    expect(shells).toHaveLength(4);
  });

  it('that are lost between calls are not used', async () => {
    const ask = new WarmShells().of(HERE, host);
    await ask(conversation('a'));
    shells[0]?.lose();
    await new Promise(setImmediate);
    await ask(conversation('b', { repeatable: false }));
    expect(shells).toHaveLength(2);
  });

  it('that turn out to be lost are replaced where asking again does no harm, and only there', async () => {
    const ask = new WarmShells().of(HERE, host);
    await ask(conversation('a'));
    answers = ([what]) => {
      if (shells.length === 1) shells[0]?.lose();
      return shells.length === 1 ? null : `did ${what}`;
    };
    expect((await ask(conversation('b'))).stdout.toString()).toBe('did b');
    answers = () => {
      shells.at(-1)?.lose();
      return null;
    };
    await expect(ask(conversation('c', { repeatable: false }))).rejects.toBe(LOST);
    expect(shells).toHaveLength(2);
  });

  it('do not answer late: a call that takes too long, or is given up, ends its shell', async () => {
    const ask = new WarmShells().of(HERE, host);
    answers = () => null;
    await expect(ask(conversation('a', { ms: 5 }))).rejects.toMatchObject({ code: 'host_timeout' });
    const gone = new Error('the caller went away');
    const giving = new AbortController();
    const call = ask(conversation('b', { signal: giving.signal }));
    setImmediate(() => giving.abort(gone));
    await expect(call).rejects.toBe(gone);
    expect(shells.map(({ killed }) => killed)).toEqual([true, true]);
    answers = () => 'fresh';
    expect((await ask(conversation('c'))).stdout.toString()).toBe('fresh');
    expect(shells).toHaveLength(3);
  });

  it('that print more than was asked for are ended', async () => {
    const ask = new WarmShells().of(HERE, host);
    answers = () => 'x'.repeat(2_000);
    await expect(ask(conversation('a'))).rejects.toMatchObject({ code: 'host_command_failed' });
    expect(shells[0]?.killed).toBe(true);
  });

  it('take no value of more than a line', async () => {
    const ask = new WarmShells().of(HERE, host);
    const { lines, ...rest } = conversation('a');
    const two: typeof lines = [lines[0], lines[1], 'x\nremove'];
    await expect(ask({ ...rest, lines: two })).rejects.toThrow(TypeError);
    expect(shells[0]?.asked).toEqual([]);
  });
});
