import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cached } from './cache.mjs';
import { capture, must } from './programs.mjs';

const KIND = 'base-root';
const PACKAGES = [
  'openssh-server',
  'rsync',
  'restic',
  'sudo',
  'iproute2',
  'procps',
  'ca-certificates',
  'zstd',
  // To take apt's lock, which is an fcntl lock, the way that another apt would.
  'python3-minimal',
];
/** A plain user that signs in by key alone and may become root: `*` is no password, `!` would be locked out. */
const CUSTOMISE = [
  'chroot "$1" useradd --uid 1000 --create-home --shell /bin/sh --password "*" drover',
  'echo "drover ALL=(ALL) NOPASSWD: ALL" > "$1/etc/sudoers.d/drover" && chmod 440 "$1/etc/sudoers.d/drover"',
  // Hosts know only the packages that a test offers them.
  'rm -rf "$1"/etc/apt/sources.list "$1"/etc/apt/sources.list.d/* "$1"/etc/apt/apt.conf.d/99mmdebstrap',
  'rm -f "$1"/etc/ssh/ssh_host_* "$1"/etc/machine-id "$1"/etc/resolv.conf',
  'rm -rf "$1"/usr/share/doc/* "$1"/usr/share/man/* "$1"/usr/share/locale/*',
];

/**
 * The root file system below every host of the test fleet: this machine's own Debian release, from the
 * package sources that this machine uses. Made once (15 s, 200 MB) and kept; needs root and a network then.
 *
 * @returns {Promise<string>} its directory, never to be written to
 */
export async function ensureBaseRoot() {
  return cached(KIND, baseRootKey(), build);
}

/** @param {string} dir */
async function build(dir) {
  const sources = await debianSources();
  const aptOptions = (await acquireSettings()).map((line) => `--aptopt=${line}`);
  const hooks = CUSTOMISE.map((command) => `--customize-hook=${command}`);
  const include = `--include=${PACKAGES.join(',')}`;
  const fixed = ['--mode=root', '--variant=minbase', '--quiet', include, ...aptOptions, ...hooks];
  await must('mmdebstrap', [...fixed, codename(), dir, ...sources]);
}

/** Another one for another recipe. */
export function baseRootKey() {
  const recipe = JSON.stringify([codename(), process.arch, PACKAGES, CUSTOMISE]);
  return createHash('sha256').update(recipe).digest('hex').slice(0, 16);
}

function codename() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  return /^VERSION_CODENAME=(\S+)$/m.exec(release)?.[1] ?? 'unknown';
}

/** One `deb …` line for each of Debian's own suites that apt on this machine is set up with. */
export async function debianSources() {
  const ask = [
    'indextargets',
    '--format',
    '$(ORIGIN)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)',
    'Created-By: Packages',
  ];
  const answer = async () => [...new Set((await must('apt-get', ask)).split('\n'))];
  const isDebian = (/** @type {string} */ line) => line.startsWith('Debian|');
  let lines = (await answer()).filter(isDebian);
  if (lines.length === 0) {
    await must('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-q', 'update']);
    lines = (await answer()).filter(isDebian);
  }
  if (lines.length === 0)
    throw new Error('the test hosts are Debian, and this machine has no Debian package source');
  return lines.map((line) => line.slice('Debian|'.length));
}

/** How this machine's apt reaches its sources (proxies, certificates, clocks) as apt.conf lines. */
async function acquireSettings() {
  const { stdout } = await capture('apt-config', ['dump', '--no-empty']);
  return stdout.split('\n').filter((line) => /^Acquire::(https?|Check-\w+|Retries)\b/.test(line));
}
