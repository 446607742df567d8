import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ABANDONED_AFTER_MS = 60 * 60_000;

/** Where slow test fixtures are kept between runs. */
export function cacheDir() {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'drover-test');
}

let mayBuild = true;

/** From now on `cached` throws where something is missing. */
export function buildNothing() {
  mayBuild = false;
}

/**
 * The directory `<kind>-<key>` of the cache; if it is missing, `build` fills an empty directory that is then renamed
 * into place. Two concurrent builders both build, and the first to finish wins. Other keys of the same kind are
 * removed, so that the cache does not grow.
 *
 * @param {string} kind
 * @param {string} key
 * @param {(dir: string) => Promise<void>} build
 * @returns {Promise<string>} the absolute path
 */
export async function cached(kind, key, build) {
  const root = cacheDir();
  const wanted = join(root, `${kind}-${key}`);
  if (await exists(wanted)) return wanted;
  if (!mayBuild) throw new Error('npm run test:all makes it once');
  await mkdir(root, { recursive: true });
  await removeOutdated(root, kind);
  const making = await mkdtemp(join(root, `.${kind}-`));
  try {
    // A root file system that only its owner may enter would shut out every other user of a host.
    await chmod(making, 0o755);
    await build(making);
    await rename(making, wanted).catch(async (error) => {
      if (!(await exists(wanted))) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return wanted;
}

/** @param {string} path */
async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * @param {string} root
 * @param {string} kind
 */
async function removeOutdated(root, kind) {
  for (const name of await readdir(root)) {
    const path = join(root, name);
    const other = name.startsWith(`${kind}-`);
    const abandoned = name.startsWith(`.${kind}-`) && (await age(path)) > ABANDONED_AFTER_MS;
    if (other || abandoned) await rm(path, { recursive: true, force: true });
  }
}

/** @param {string} path */
async function age(path) {
  return stat(path).then(
    (found) => Date.now() - found.mtimeMs,
    () => 0,
  );
}
