import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBaseRoot } from './base-root.mjs';
import { cacheDir, cached } from './cache.mjs';
import { must } from './programs.mjs';

/**
 * The package managers of other families, as Debian packages them, with their build tools (apk is not in Debian), and
 * an init.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const LAYERS = {
  fedora: ['dnf', 'rpm', 'createrepo-c', 'dnf-plugins-core'],
  suse: ['zypper', 'rpm', 'createrepo-c'],
  arch: ['pacman-package-manager', 'makepkg', 'libarchive-tools'],
  systemd: ['systemd', 'systemd-sysv'],
};
const KIND = 'families';
const USR_MERGED = ['bin', 'sbin', 'lib', 'lib64'];
const LEFT_OUT = ['doc', 'man', 'locale', 'info', 'texinfo', 'texmf', 'augeas'].flatMap((name) => [
  '--exclude',
  `./usr/share/${name}*`,
]);

/**
 * A tar archive a layer, to be unpacked over the root of a test host, and kept. Made from packages that apt fetches,
 * without their scripts: `fedora.tar`, `suse.tar`, `arch.tar`, `systemd.tar`.
 *
 * @returns {Promise<string>} their directory, never to be written to
 */
export async function ensureFamilyLayers() {
  const base = await ensureBaseRoot();
  const recipe = JSON.stringify([base, LAYERS, LEFT_OUT]);
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 16);
  return cached(KIND, key, async (dir) => {
    for (const [family, packages] of Object.entries(LAYERS)) await buildLayer(dir, base, family, packages);
  });
}

/** @returns {boolean} whether they are there */
export function familyLayers() {
  return existsSync(cacheDir()) && readdirSync(cacheDir()).some((name) => name.startsWith(`${KIND}-`));
}

/**
 * Creates `dir`/`family`.tar with the files of these packages beyond the base root.
 *
 * @param {string} dir
 * @param {string} base
 * @param {string} family
 * @param {readonly string[]} packages
 */
export async function buildLayer(dir, base, family, packages) {
  const work = await mkdtemp(join(tmpdir(), 'drover-family-'));
  try {
    const [archives, layer] = [join(work, 'archives'), join(work, 'layer')];
    await mkdir(join(archives, 'partial'), { recursive: true });
    const settings = [`Dir::State::status=${base}/var/lib/dpkg/status`, `Dir::Cache::archives=${archives}`];
    const options = [...settings, 'Debug::NoLocking=1'].flatMap((setting) => ['-o', setting]);
    const install = ['--download-only', '-y', '--no-install-recommends', 'install'];
    await must('apt-get', ['-q', ...options, ...install, ...packages]);
    // The links of a merged /usr, so that packages' files below /lib go where the host has it.
    for (const name of USR_MERGED) {
      await mkdir(join(layer, 'usr', name), { recursive: true });
      await symlink(`usr/${name}`, join(layer, name));
    }
    for (const name of await readdir(archives)) {
      if (!name.endsWith('.deb')) continue;
      const unpack = 'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink "${@:3}"';
      await must('bash', ['-o', 'pipefail', '-c', unpack, 'bash', join(archives, name), layer, ...LEFT_OUT]);
    }
    for (const name of USR_MERGED) await rm(join(layer, name));
    await must('tar', ['-C', layer, '-cf', join(dir, `${family}.tar`), '.']);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
