import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT, sameVersions } from '../../scripts/ensure.mjs';

const lock = (packages: Record<string, { version?: string; optional?: boolean }>) => ({ packages });

it.each([
  ['all is there', { a: { version: '1.0.0' } }, { a: { version: '1.0.0' } }, true],
  ['one has another version', { a: { version: '1.0.1' } }, { a: { version: '1.0.0' } }, false],
  ['one is missing', { a: { version: '1.0.0' } }, {}, false],
  ['one for another platform is missing', { a: { version: '1.0.0', optional: true } }, {}, true],
  [
    'one for this platform is old',
    { a: { version: '2.0.0', optional: true } },
    { a: { version: '1.0.0' } },
    false,
  ],
  ['one more is there', {}, { a: { version: '1.0.0' } }, true],
  ['only the project itself differs', { '': { version: '0.2.0' } }, { '': { version: '0.1.0' } }, true],
])('compares what is installed with what is locked: %s', (_, wanted, installed, same) => {
  expect(sameVersions(lock(wanted), lock(installed))).toBe(same);
});

it('leaves packages alone that another copy lent to it', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'drover-ensure-'));
  try {
    await cp(fileURLToPath(new URL('../../scripts', import.meta.url)), join(copy, 'scripts'), {
      recursive: true,
    });
    await mkdir(join(copy, 'src'));
    await mkdir(join(copy, 'theirs', 'koa'), { recursive: true });
    await symlink('theirs', join(copy, 'node_modules'));
    await writeFile(join(copy, 'package-lock.json'), '{"packages":{"node_modules/a":{"version":"1.0.0"}}}');
    const run = promisify(execFile)(process.execPath, [join(copy, 'scripts', 'ensure.mjs')]);
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is a link') });
    expect(await readdir(join(copy, 'theirs'))).toEqual(['koa']);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});

it('locks every optional package, also those of other platforms: else npm ci refuses the lock', async () => {
  const text = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { readonly optionalDependencies?: Record<string, string> }>;
  };
  const isLocked = (from: string, name: string): boolean => {
    if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in packages) return true;
    return from !== '' && isLocked(from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''), name);
  };
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(from, name)),
  );
  expect(missing).toEqual([]);
});
