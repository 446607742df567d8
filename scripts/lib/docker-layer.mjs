import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseRootKey, debianSources, ensureBaseRoot } from './base-root.mjs';
import { cached } from './cache.mjs';
import { APT, INSTALL, installLayer } from './engine-layer.mjs';
import { must } from './programs.mjs';

const KIND = 'docker-layer';
/** The tests' images contain busybox-static. */
const PACKAGES = ['docker.io', 'docker-registry', 'iptables', 'busybox-static'];
/** Debian 12 has no Compose v2; the program of the next release only needs libc6. */
const COMPOSE_SUITE = 'trixie';

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
  return join(await cached(KIND, key, (dir) => installLayer(dir, base, PACKAGES, composeProgram)), 'upper');
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
