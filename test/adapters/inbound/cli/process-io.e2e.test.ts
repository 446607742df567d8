import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProcessIo } from '../../../../src/adapters/inbound/cli/process-io.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drover-io-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Runs a few lines on a real process's streams. */
function run(body: string, input: string): Promise<{ code: number | null; out: string; err: string }> {
  const module = new URL('../../../../src/adapters/inbound/cli/process-io.ts', import.meta.url).href;
  const code = `import { ProcessIo } from '${module}'; const io = new ProcessIo(); ${body}`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code]);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (exit) => resolve({ code: exit, out, err })));
}

describe('ProcessIo', () => {
  test('reads a file, and refuses one that is longer than it may be', async () => {
    const path = join(directory, 'key');
    await writeFile(path, 'grüße');
    expect(await new ProcessIo().readFile(path, 7)).toBe('grüße');
    await expect(new ProcessIo().readFile(path, 6)).rejects.toBeInstanceOf(RangeError);
    await expect(new ProcessIo().readFile(join(directory, 'gone'), 6)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  test('reads standard input, and refuses one that is too long', async () => {
    expect((await run('io.out(await io.readInput(5));', 'hello')).out).toBe('hello');
    expect((await run('io.out(await io.readInput(4).catch((e) => e.name));', 'hello')).out).toBe(
      'RangeError',
    );
  });

  test('asks on standard error, and says when there is no answer', async () => {
    const asked = await run("io.out(await io.ask('Sure? '));", 'yes\n');
    expect(asked).toMatchObject({ out: 'yes', err: expect.stringContaining('Sure? ') });
    expect((await run("await io.ask('Sure? ').catch((e) => io.out(e.message));", '')).out).toContain(
      'the input has ended',
    );
  });

  test('says in one sentence that a disk is full', async () => {
    const module = new URL('../../../../src/adapters/inbound/cli/process-io.ts', import.meta.url).href;
    const code = `import { ProcessIo } from '${module}'; new ProcessIo().out('x');`;
    const full = openSync('/dev/full', 'w');
    const args = ['--import', 'tsx', '--input-type=module', '--eval', code];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect([status, String(stderr)]).toEqual([1, expect.stringMatching(/^drover: .*ENOSPC.*\n$/)]);
  });

  test('takes no terminal for granted', async () => {
    expect((await run('io.out(JSON.stringify([io.interactive, io.columns]));', '')).out).toBe('[false,null]');
  });
});
