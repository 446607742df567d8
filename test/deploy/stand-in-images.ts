import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { ensureBaseRoot } from '../../scripts/lib/base-root.mjs';
import { ensureMariaDbLayer } from '../../scripts/lib/image-layers.mjs';
import { findProgram } from '../../scripts/lib/programs.mjs';
import { ROOT } from '../docs/markdown.ts';
import type { FleetHost } from '../fleet/host.ts';

const MAX_BYTES = 1024 ** 3;
const AS_ROOT = ['--owner=0', '--group=0'];
/** Possible local files of a user who runs it in this checkout. */
const OWN = ['--exclude=deploy/secrets', '--exclude=deploy/.env'];
const STAND_INS = join(import.meta.dirname, 'stand-ins');
const Account = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

/** The files of a directory for a tar archive. */
type From = readonly [directory: string, ...names: string[]];

/**
 * The images that our compose files and the Dockerfile name, made on the host from Debian's packages and this machine's
 * Node, under those names: there is no registry of images within reach.
 */
export async function makeStandIns(host: FleetHost): Promise<void> {
  await makeBase(host);
  const npm = dirname(dirname(await realpath(findProgram('npm') ?? '')));
  const node: From[] = [
    [dirname(process.execPath), basename(process.execPath)],
    [dirname(npm), basename(npm)],
    [STAND_INS, 'npm.sh'],
    [ROOT, ...(await packages())],
  ];
  await Promise.all([
    makeMariaDb(host),
    build(host, 'caddy', ['caddy:2.10'], [await program('caddy')]),
    build(host, 'node', ['node:22-bookworm', 'node:22-bookworm-slim'], node),
  ]);
}

/** The base of the other images. */
export async function makeBase(host: FleetHost): Promise<void> {
  const base = await tar([[await ensureBaseRoot(), '.']], ['--numeric-owner']);
  await must(host, 'docker import - stand-in/debian', [], base);
}

/** Under the name `mariadb:11.4`; needs the base. */
export async function makeMariaDb(host: FleetHost): Promise<void> {
  const context: From[] = [
    [dirname(await ensureMariaDbLayer()), 'mariadb.tar'],
    [STAND_INS, 'mariadb-entrypoint.sh', 'mariadb-healthcheck.sh'],
  ];
  await build(host, 'mariadb', ['mariadb:11.4'], context);
}

/** A checkout at /opt/src, as far as Docker and compose look into it. */
export async function checkOut(host: FleetHost): Promise<void> {
  const names = ['Dockerfile', '.dockerignore', '.npmrc', 'package.json', 'package-lock.json'];
  names.push('tsconfig.json', 'bin', 'scripts', 'src', 'deploy', 'docs', 'examples', 'bench/README.md');
  names.push('CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'SECURITY.md');
  await must(
    host,
    'mkdir -p /opt/src && tar -x -C /opt/src',
    [],
    await tar([[ROOT, ...names]], [...AS_ROOT, ...OWN]),
  );
}

async function must(host: FleetHost, script: string, args: readonly string[], input: Buffer): Promise<void> {
  const { code, stdout, stderr } = await host.tryExec(script, args, input);
  if (code !== 0) throw new Error(`${script} ${args.join(' ')}: ${stdout}${stderr}`);
}

async function build(host: FleetHost, name: string, tags: readonly string[], context: readonly From[]) {
  const archive = await tar([[STAND_INS, `${name}.Dockerfile`], ...context]);
  const script = 'DOCKER_BUILDKIT=0 docker build -q -f "$1" "${@:2}" -';
  await must(host, script, [`${name}.Dockerfile`, ...tags.flatMap((tag) => ['-t', tag])], archive);
}

async function tar(from: readonly From[], options: readonly string[] = AS_ROOT): Promise<Buffer> {
  const what = from.flatMap(([directory, ...names]) => ['-C', directory, ...names]);
  const output = { encoding: 'buffer', maxBuffer: MAX_BYTES } as const;
  return (await promisify(execFile)('tar', ['-c', ...options, ...what], output)).stdout;
}

async function program(name: string): Promise<From> {
  const found = findProgram(name);
  if (!found) throw new Error(`${name} is not there`);
  return [dirname(found), basename(found)];
}

/** The packages of `npm ci`, except the largest of the development tools. */
async function packages(): Promise<readonly string[]> {
  const account = 'node_modules/.package-lock.json';
  const { packages: all } = Account.parse(JSON.parse(await readFile(join(ROOT, account), 'utf8')));
  const wanted = Object.entries(all).filter(
    ([path, { dev }]) => !path.includes('/node_modules/') && dev !== true,
  );
  return [account, 'node_modules/.bin', ...wanted.map(([path]) => path)];
}
