import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  linesOf,
  StdioServer,
  TOO_LONG,
} from '../../../../src/adapters/inbound/stdio/stdio-server.ts';

const request = (id: unknown, method = 'work'): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`;
const cancel = (requestId: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`;

/** Answers each request with its id, once `release` is called for it; records cancellations. */
class Work {
  readonly underWay = new Map<unknown, () => void>();
  readonly cancelled: unknown[] = [];
  most = 0;

  readonly answer: Answer = async (value, signal) => {
    const { id } = value as { id?: unknown };
    if (id === undefined) return null;
    await new Promise<void>((resolve) => {
      this.underWay.set(id, resolve);
      this.most = Math.max(this.most, this.underWay.size);
      signal.addEventListener('abort', () => {
        this.cancelled.push(id);
        resolve();
      });
    });
    this.underWay.delete(id);
    return JSON.stringify({ id });
  };

  release(id: unknown): void {
    this.underWay.get(id)?.();
  }
}

const echo: Answer = async (value) => JSON.stringify(value);

/** Runs a server over all of an input and returns its output. */
async function answersTo(bytes: string | Uint8Array, answer: Answer = echo): Promise<string[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = new StdioServer(input, output, answer).run();
  input.end(bytes);
  await running;
  return String(output.read() ?? '')
    .split('\n')
    .slice(0, -1);
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await soon();
}

describe('lines', () => {
  it.each([
    ['whole', ['a\nb\n'], ['a', 'b']],
    ['in parts', ['a', 'b\nc', '', 'd', '\n'], ['ab', 'cd']],
    ['with an end that has no newline', ['a\nb'], ['a', 'b']],
    ['empty', ['\n\na\n'], ['', '', 'a']],
    ['too long', ['12345', '678\nok\n123456789\n12345678\n'], [TOO_LONG, 'ok', TOO_LONG, TOO_LONG]],
    ['of nothing', [], []],
  ])('%s', async (_what, parts, expected) => {
    const input = new PassThrough();
    const reading = collect(linesOf(input, 7));
    for (const part of parts) input.write(part);
    input.end();
    expect((await reading).map((line) => (line === TOO_LONG ? line : line.toString()))).toEqual(expected);
  });
});

describe('messages', () => {
  it('are answered one a line, blank lines left out', async () => {
    const [one, two] = [request('ä\n"').trim(), request(2).trim()];
    expect(await answersTo(`\n \r\n${one}\r\n\t\n${two}`)).toEqual([one, two]);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1', -32700, 'The body is not valid JSON.'],
    ['{"id":1,"id":2}', -32700, 'twice'],
    ['{"__proto__":1}', -32700, '__proto__'],
    ['['.repeat(100) + ']'.repeat(100), -32700, 'nested'],
    [new Uint8Array([34, 255, 34, 10]), -32700, 'UTF-8'],
    [`"${'x'.repeat(1024 * 1024)}"\n`, -32600, 'longer than 1048576 bytes'],
  ])('that cannot be read are refused, and the next one is not: %.30s', async (bytes, code, words) => {
    const [refused, next] = await answersTo(
      Buffer.concat([Buffer.from(bytes), Buffer.from(`\n${request(2)}`)]),
    );
    expect(JSON.parse(refused ?? '')).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: expect.stringContaining(words) },
    });
    expect(next).toBe(request(2).trim());
  });

  it('are answered when they are ready, in whatever order', async () => {
    const [input, output, work] = [new PassThrough(), new PassThrough(), new Work()];
    const running = new StdioServer(input, output, work.answer).run();
    input.end(request(1) + request(2) + request('1'));
    await until(() => work.underWay.size === 3);
    for (const id of ['1', 2, 1]) {
      work.release(id);
      await until(() => !work.underWay.has(id));
    }
    await running;
    expect(String(output.read())).toBe('{"id":"1"}\n{"id":2}\n{"id":1}\n');
  });

  it('with the id of a running one are refused', async () => {
    const [input, output, work] = [new PassThrough(), new PassThrough(), new Work()];
    const running = new StdioServer(input, output, work.answer).run();
    input.end(request(1) + request(1));
    const [refusal] = (await once(output, 'data')) as [Buffer];
    expect(JSON.parse(String(refusal))).toMatchObject({ id: 1, error: { code: -32600 } });
    work.release(1);
    await running;
  });
});

describe('a cancelled request', () => {
  it('is given up and not answered; others are', async () => {
    const [input, output, work] = [new PassThrough(), new PassThrough(), new Work()];
    const running = new StdioServer(input, output, work.answer).run();
    input.end(
      request(1) + request(2) + cancel(1) + cancel('2') + cancel(99) + cancel(undefined) + cancel({}),
    );
    await until(() => work.cancelled.length > 0 && !work.underWay.has(1));
    work.release(2);
    await running;
    expect(work.cancelled).toEqual([1]);
    expect(String(output.read())).toBe('{"id":2}\n');
  });
});

describe('bounds', () => {
  it('64 requests run at most, and the rest waits unread', async () => {
    const [input, output, work] = [new PassThrough(), new PassThrough(), new Work()];
    const running = new StdioServer(input, output, work.answer).run();
    for (let id = 0; id < 200; id += 1) input.write(request(id));
    input.end();
    for (let id = 0; id < 200; id += 1) {
      await until(() => work.underWay.has(id));
      work.release(id);
    }
    await running;
    expect(work.most).toBe(64);
    expect(String(output.read()).split('\n')).toHaveLength(201);
  });

  it('a reader that does not read stops the work, and nothing is lost', async () => {
    const chunks: string[] = [];
    const waiting: (() => void)[] = [];
    let open = false;
    const output = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        if (open) done();
        else waiting.push(done);
      },
    });
    const input = new PassThrough();
    let begun = 0;
    const running = new StdioServer(input, output, async (value) => {
      begun += 1;
      return JSON.stringify(value);
    }).run();
    for (let id = 0; id < 500; id += 1) input.write(request(id));
    input.end();
    await until(() => begun >= 64);
    for (let turn = 0; turn < 50; turn += 1) await soon();
    expect(begun).toBe(64);
    open = true;
    for (const done of waiting) done();
    await running;
    expect(chunks).toHaveLength(500);
  });
});

describe('the end', () => {
  it('of the input comes after all answers', async () => {
    const [input, output, work] = [new PassThrough(), new PassThrough(), new Work()];
    const running = new StdioServer(input, output, work.answer).run();
    input.end(request(1));
    await until(() => work.underWay.has(1));
    let ended = false;
    void running.then(() => {
      ended = true;
    });
    for (let turn = 0; turn < 20; turn += 1) await soon();
    expect(ended).toBe(false);
    work.release(1);
    await running;
    expect(String(output.read())).toBe('{"id":1}\n');
  });

  it('comes at once when it is stopped, even if its output is not read', async () => {
    const stuck = new Writable({ write: () => undefined });
    const [input, work] = [new PassThrough(), new Work()];
    const server = new StdioServer(input, stuck, work.answer);
    const running = server.run();
    input.write(request(1) + request(2));
    await until(() => work.underWay.size === 2);
    work.release(1);
    await until(() => work.underWay.size === 1);
    server.stop();
    await running;
    expect(work.cancelled).toContain(2);
  });

  it('comes when the output is closed', async () => {
    const broken = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    const input = new PassThrough();
    const running = new StdioServer(input, broken, echo).run();
    input.write(request(1));
    await running;
    expect(input.destroyed).toBe(true);
  });
});
