import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from './programs.mjs';

export const APT = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Debug::NoLocking=true'];

/**
 * Installs the packages in "$4" above the base root "$1", with only memory as scratch, and leaves the changes in
 * "$2". "$3" is the Compose program.
 */
export const INSTALL = `set -eu
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
 * Creates `dir`/upper: what these packages and their dependencies change in the base root, with Compose.
 *
 * @param {string} dir
 * @param {string} base
 * @param {readonly string[]} packages
 * @param {(fetched: string) => Promise<string>} composeProgram returns the Compose program; it may use that directory
 */
export async function installLayer(dir, base, packages, composeProgram) {
  const fetched = join(dir, 'fetched');
  await mkdir(join(fetched, 'debs/partial'), { recursive: true });
  await download(base, fetched, packages);
  const compose = await composeProgram(fetched);
  const install = ['-m', '--propagation', 'private', 'sh', '-c', INSTALL, 'sh'];
  await must('unshare', [...install, base, dir, compose, join(fetched, 'debs')]);
  await rm(fetched, { recursive: true });
}

/**
 * What this machine's apt would install into the base root, with its current packages.
 *
 * @param {string} base
 * @param {string} dir
 * @param {readonly string[]} packages
 */
async function download(base, dir, packages) {
  const into = [
    `Dir::State::status=${base}/var/lib/dpkg/status`,
    `Dir::Cache::archives=${dir}/debs`,
    'APT::Install-Recommends=false',
  ].flatMap((setting) => ['-o', setting]);
  const args = [...APT, ...into, '-y', '--download-only', 'install', ...packages];
  try {
    await must('apt-get', args);
  } catch {
    // The lists may be missing, or older than the packages that they name.
    await must('apt-get', [...APT.slice(0, 3), 'update']);
    await must('apt-get', args);
  }
}
