import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { ROOT, sameVersions } from '../ensure.mjs';
import { cached } from './cache.mjs';
import { must } from './programs.mjs';

/** @typedef {'first' | 'former'} ReleaseName */

/** The releases that are kept in test/releases: built, without their packages. `keep-release.mjs` puts them there. */
export const RELEASES = /** @type {const} */ (['first', 'former']);

/** The lock of its packages: under npm's own name it would make the release a checkout, which is built at its start. */
export const LOCK = 'lock.json';

/** @param {ReleaseName} name */
export const archiveOf = (name) => join(ROOT, 'test', 'releases', `${name}.tar.br`);

/**
 * Unpacks a release into a new directory, beside packages that it can run with.
 *
 * @param {ReleaseName} name
 * @returns {Promise<string>} the directory, the caller's to remove
 */
export async function unpackRelease(name) {
  const home = await mkdtemp(join(tmpdir(), `drover-${name}-release-`));
  try {
    await extract(name, home);
    await symlink(await packagesOf(name, home), join(home, 'node_modules'));
    return home;
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

/** Installs the packages of releases that do not run with those of the project. Needs the package registry then. */
export async function ensureReleasePackages() {
  for (const name of RELEASES) await rm(await unpackRelease(name), { recursive: true, force: true });
}

/**
 * @param {ReleaseName} name
 * @param {string} home
 */
async function extract(name, home) {
  const packed = brotliDecompressSync(await readFile(archiveOf(name)));
  const tar = spawn('tar', ['-x', '-C', home], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(tar, 'close');
  // It stops reading at the archive's end; its exit code has the result.
  tar.stdin.on('error', () => undefined).end(packed);
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar failed (${code}) on ${archiveOf(name)}`);
}

/**
 * Those of the project, as long as they are the ones that the release was built with; else separate ones, installed
 * once.
 *
 * @param {ReleaseName} name
 * @param {string} home
 */
async function packagesOf(name, home) {
  const text = await readFile(join(home, LOCK), 'utf8');
  const own = join(ROOT, 'node_modules');
  const installed = JSON.parse(await readFile(join(own, '.package-lock.json'), 'utf8'));
  if (sameVersions(neededOf(JSON.parse(text)), installed)) return own;
  const key = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const dir = await cached(`release-${name}`, key, async (making) => {
    for (const file of ['package.json', '.npmrc']) await copyFile(join(home, file), join(making, file));
    await copyFile(join(home, LOCK), join(making, 'package-lock.json'));
    await must('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-progress', '--loglevel=error'], {
      cwd: making,
    });
  });
  return join(dir, 'node_modules');
}

/**
 * What a program needs to run, without development tools.
 *
 * @param {import('../ensure.mjs').Lock & { packages: Record<string, { dev?: boolean }> }} lock
 */
const neededOf = ({ packages }) => ({
  packages: Object.fromEntries(Object.entries(packages).filter(([, { dev }]) => dev !== true)),
});
