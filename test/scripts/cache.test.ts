import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cached } from '../../scripts/lib/cache.mjs';

const former = process.env['XDG_CACHE_HOME'];
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cache-'));
  process.env['XDG_CACHE_HOME'] = home;
});
afterEach(async () => {
  if (former === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = former;
  await rm(home, { recursive: true });
});

const build = (text: string) => (dir: string) => writeFile(join(dir, 'text'), text);
const kept = () => readdir(join(home, 'drover-test'));

it('builds once and gives the same directory again', async () => {
  const dir = await cached('kind', 'a', build('first'));
  expect(await cached('kind', 'a', build('second'))).toBe(dir);
  expect(await readFile(join(dir, 'text'), 'utf8')).toBe('first');
});

it('keeps one key of a kind, and other kinds', async () => {
  await cached('kind', 'a', build(''));
  await cached('other', 'a', build(''));
  await cached('kind', 'b', build(''));
  expect((await kept()).sort()).toEqual(['kind-b', 'other-a']);
});

it('keeps nothing of a build that failed', async () => {
  const failing = cached('kind', 'a', async (dir) => {
    await writeFile(join(dir, 'half'), '');
    throw new Error('no network');
  });
  await expect(failing).rejects.toThrow('no network');
  expect(await kept()).toEqual([]);
});

it('lets two build at once', async () => {
  const [one, other] = await Promise.all([cached('kind', 'a', build('x')), cached('kind', 'a', build('x'))]);
  expect(one).toBe(other);
  expect(await kept()).toEqual(['kind-a']);
});
