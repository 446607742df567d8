import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRootKey, debianSources, ensureBaseRoot } from './base-root.mjs';
import { cached } from './cache.mjs';
import { must } from './programs.mjs';

const KIND = 'docker-layer';
/** busybox-static is what the tests' images are made of. */
const PACKAGES = ['docker.io', 'docker-registry', 'iptables', 'busybox-static'];
/** Debian 12 has no compose v2; the program of the release after it needs no more than libc6. */
const COMPOSE_SUITE = 'trixie';

const APT = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Debug::NoLocking=true'];

/**
 * Installs the packages in "$4" above the base root "$1", with nothing but what is in memory as scratch, and leaves in
 * "$2" what that changed. "$3" is the program of compose.
 */
const INSTALL = `set -eu
base=$1 layer=$2 compose=$3 debs=$4
scratch=$layer/scratch
mkdir "$scratch"
mount -t tmpfs tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
mount -t overlay overlay -o "lowerdir=$base,upperdir=$scratch/upper,workdir=$scratch/work" "$scratch/root"
mkdir "$scratch/root/debs"
cp "$debs"/*.deb "$scratch/root/debs/"
printf '#!/bin/sh\\nexit 101\\n' >"$scratch/root/usr/sbin/policy-rc.d"
chmod 755 "$scratch/root/usr/sbin/policy-rc.d"
export DEBIAN_FRONTEND=noninteractive
chroot "$scratch/root" sh -c 'dpkg -i /debs/*.deb' >&2
install -D -m 755 "$compose" "$scratch/root/usr/libexec/docker/cli-plugins/docker-compose"
rm -rf "$scratch/root/debs" "$scratch/root/usr/sbin/policy-rc.d" "$scratch"/root/usr/share/doc/* "$scratch"/root/usr/share/man/*
umount "$scratch/root"
rm -rf "$scratch/upper/var/lib/docker" "$scratch/upper/run"
cp -a "$scratch/upper" "$layer/upper"
umount "$scratch"
rmdir "$scratch"`;

/**
 * A layer above the base root with docker, compose, a registry and a static busybox. Made once (15 s, 320 MB) and kept;
 * needs root and a network then.
 *
 * @returns {Promise<string>} its directory, never to be written to
 */
export async function ensureDockerLayer() {
  const recipe = JSON.stringify([baseRootKey(), PACKAGES, COMPOSE_SUITE, INSTALL]);
  const key = createHash('sha256').update(recipe).digest('hex').slice(0, 16);
  const base = await ensureBaseRoot();
  return join(await cached(KIND, key, (dir) => build(dir, base)), 'upper');
}

/**
 * @param {string} dir
 * @param {string} base
 */
async function build(dir, base) {
  const fetched = join(dir, 'fetched');
  await mkdir(join(fetched, 'debs/partial'), { recursive: true });
  await download(base, fetched);
  const compose = await composeProgram(fetched);
  const install = ['-m', '--propagation', 'private', 'sh', '-c', INSTALL, 'sh'];
  await must('unshare', [...install, base, dir, compose, join(fetched, 'debs')]);
  await rm(fetched, { recursive: true });
}

/**
 * What this machine's apt would install into the base root, by the packages that are there.
 *
 * @param {string} base
 * @param {string} dir
 */
async function download(base, dir) {
  const into = [
    `Dir::State::status=${base}/var/lib/dpkg/status`,
    `Dir::Cache::archives=${dir}/debs`,
    'APT::Install-Recommends=false',
  ].flatMap((setting) => ['-o', setting]);
  const args = [...APT, ...into, '-y', '--download-only', 'install', ...PACKAGES];
  try {
    await must('apt-get', args);
  } catch {
    // The lists may be missing, or older than the packages that they name.
    await must('apt-get', [...APT.slice(0, 3), 'update']);
    await must('apt-get', args);
  }
}

/**
 * @param {string} dir
 * @returns {Promise<string>} the program's path
 */
async function composeProgram(dir) {
  const [first = ''] = await debianSources();
  const uri = first.split(' ')[1] ?? '';
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  await writeFile(join(dir, 'sources.list'), `deb [signed-by=${keys}] ${uri} ${COMPOSE_SUITE} main\n`);
  for (const part of ['lists/partial', 'cache/archives/partial', 'compose']) {
    await mkdir(join(dir, part), { recursive: true });
  }
  const own = [
    `Dir::Etc::sourcelist=${dir}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${dir}/lists`,
    `Dir::Cache=${dir}/cache`,
    'Acquire::Languages=none',
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  await must('apt-get', [...APT, ...own, 'update']);
  await must('apt-get', [...APT, ...own, 'download', 'docker-compose'], { cwd: join(dir, 'compose') });
  await must('sh', ['-c', 'dpkg-deb -x ./*.deb out'], { cwd: join(dir, 'compose') });
  return join(dir, 'compose/out/usr/libexec/docker/cli-plugins/docker-compose');
}
