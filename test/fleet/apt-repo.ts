import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture, must } from '../../scripts/lib/programs.mjs';
import type { FleetHost } from './host.ts';

/**
 * v1 offers every package at 1.0. v2 adds demo-app 2.0 and a demo-broken 1.1 that cannot be configured, and security
 * updates of demo-lib and of demo-kernel, which requires a reboot. v3 is v2 and one more package, which no host has.
 */
export type AptEdition = 'v1' | 'v2' | 'v3';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly suite: 'stable' | 'stable-security';
  /** shell, run when the package is configured; `$2` is the version before, empty on a first installation */
  readonly postinst?: string;
}

const ASK_FOR_REBOOT = `if [ "$1" = configure ] && [ -n "$2" ]; then
  echo '*** System restart required ***' >/run/reboot-required
  echo demo-kernel >>/run/reboot-required.pkgs
fi`;

const V1: readonly Package[] = [
  { name: 'demo-app', version: '1.0', suite: 'stable' },
  { name: 'demo-lib', version: '1.0', suite: 'stable' },
  { name: 'demo-kernel', version: '1.0', suite: 'stable', postinst: ASK_FOR_REBOOT },
  { name: 'demo-broken', version: '1.0', suite: 'stable' },
];
const V2: readonly Package[] = [
  ...V1,
  { name: 'demo-app', version: '2.0', suite: 'stable' },
  { name: 'demo-broken', version: '1.1', suite: 'stable', postinst: 'exit 1' },
  { name: 'demo-lib', version: '1.0+deb12u1', suite: 'stable-security' },
  { name: 'demo-kernel', version: '1.1', suite: 'stable-security', postinst: ASK_FOR_REBOOT },
];
const EDITIONS: Record<AptEdition, readonly Package[]> = {
  v1: V1,
  v2: V2,
  v3: [...V2, { name: 'demo-more', version: '1.0', suite: 'stable-security' }],
};
export const SUITES = [
  { suite: 'stable', label: 'Debian', codename: 'bookworm' },
  { suite: 'stable-security', label: 'Debian-Security', codename: 'bookworm-security' },
] as const;

const ON_HOST = '/srv/apt';
/** By which a host knows where to look, from the host's root. */
export const DEMO_SOURCES = '/etc/apt/sources.list.d/demo.list';
export const KEYRING = '/usr/share/keyrings/demo.gpg';

/** Installs the demo packages at 1.0, as a host looks before its updates come. */
export async function installDemo(
  host: FleetHost,
  { hold = false, broken = false }: { hold?: boolean; broken?: boolean } = {},
): Promise<void> {
  const names = ['demo-app', 'demo-lib', 'demo-kernel', ...(broken ? ['demo-broken'] : [])];
  await host.exec(
    'export DEBIAN_FRONTEND=noninteractive; apt-get -q update >&2 && apt-get -q -y install "$@" >&2',
    names.map((name) => `${name}=1.0`),
  );
  if (hold) await host.exec('apt-mark hold demo-app');
}

/** Changes the offers of the host's package source; its apt knows after an update. */
export async function publish(host: FleetHost, edition: AptEdition): Promise<void> {
  const archive = await readFile(join(host.record.aptRepositories, `${edition}.tar`));
  const { code, stderr } = await host.tryExec('rm -rf -- "$1"/* && tar -C "$1" -x', [ON_HOST], archive);
  if (code !== 0) throw new Error(`on ${host.name}: ${stderr}`);
}

/**
 * Makes both editions under `dir`, signed with a key that is thrown away, and sets the layer that all hosts
 * share up to use the first.
 */
export async function buildAptRepositories(dir: string, layer: string): Promise<void> {
  const keys = join(dir, 'gpg');
  const gpg = (...args: string[]) =>
    must('gpg', [
      '--homedir',
      keys,
      '--batch',
      '--quiet',
      '--passphrase',
      '',
      '--pinentry-mode',
      'loopback',
      ...args,
    ]);
  await mkdir(keys, { recursive: true, mode: 0o700 });
  try {
    await gpg('--quick-gen-key', 'demo@fleet', 'ed25519', 'sign', 'never');
    await mkdir(join(layer, 'usr/share/keyrings'), { recursive: true });
    await gpg('--output', join(layer, KEYRING), '--export');
    for (const edition of ['v1', 'v2', 'v3'] as const) {
      const tree = join(dir, edition);
      await buildTree(tree, EDITIONS[edition]);
      for (const { suite } of SUITES) {
        const release = join(tree, 'dists', suite);
        await gpg('--output', join(release, 'InRelease'), '--clearsign', join(release, 'Release'));
      }
      await must('tar', ['-C', tree, '-cf', `${tree}.tar`, '.']);
    }
  } finally {
    await capture('gpgconf', ['--homedir', keys, '--kill', 'all']);
    await rm(keys, { recursive: true, force: true });
  }
  await cp(join(dir, 'v1'), join(layer, ON_HOST), { recursive: true });
  await mkdir(join(layer, 'etc/apt/sources.list.d'), { recursive: true });
  const lines = SUITES.map(({ suite }) => `deb [signed-by=${KEYRING}] file:${ON_HOST} ${suite} main\n`);
  await writeFile(join(layer, DEMO_SOURCES), lines.join(''));
}

async function buildTree(tree: string, packages: readonly Package[]): Promise<void> {
  for (const { suite } of SUITES) await mkdir(join(tree, 'pool', suite), { recursive: true });
  await Promise.all(packages.map((each) => buildPackage(tree, each)));
  const architecture = (await must('dpkg', ['--print-architecture'])).trim();
  for (const { suite, label, codename } of SUITES) {
    const index = join('dists', suite, 'main', `binary-${architecture}`);
    await mkdir(join(tree, index), { recursive: true });
    const list = await must('apt-ftparchive', ['packages', join('pool', suite)], { cwd: tree });
    await writeFile(join(tree, index, 'Packages'), list);
    const fields = {
      Origin: 'Debian',
      Label: label,
      Suite: suite,
      Codename: codename,
      Version: '12',
      Architectures: `${architecture} all`,
      Components: 'main',
    };
    const options = Object.entries(fields).flatMap(([key, value]) => [
      '-o',
      `APT::FTPArchive::Release::${key}=${value}`,
    ]);
    const release = await must('apt-ftparchive', [...options, 'release', join('dists', suite)], {
      cwd: tree,
    });
    await writeFile(join(tree, 'dists', suite, 'Release'), release);
  }
}

async function buildPackage(tree: string, { name, version, suite, postinst }: Package): Promise<void> {
  const contents = join(tree, '..', `.${name}_${version}`);
  await mkdir(join(contents, 'DEBIAN'), { recursive: true });
  await mkdir(join(contents, 'usr/bin'), { recursive: true });
  const control = {
    Package: name,
    Version: version,
    Architecture: 'all',
    Maintainer: 'Demo <demo@fleet>',
    Description: `${name} of the test fleet`,
  };
  const lines = Object.entries(control).map(([key, value]) => `${key}: ${value}\n`);
  await writeFile(join(contents, 'DEBIAN/control'), lines.join(''));
  await writeFile(join(contents, 'usr/bin', name), `#!/bin/sh\necho ${name} ${version}\n`, { mode: 0o755 });
  if (postinst) {
    await writeFile(join(contents, 'DEBIAN/postinst'), `#!/bin/sh\nset -e\n${postinst}\n`, { mode: 0o755 });
  }
  const file = join(tree, 'pool', suite, `${name}_${version}_all.deb`);
  await must('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', contents, file]);
  await rm(contents, { recursive: true, force: true });
}
