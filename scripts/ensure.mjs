import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleOptions } from './lib/bundle.mjs';
import { capture } from './lib/programs.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const INSTALLED_STAMP = join(MODULES, '.drover-installed');
const DIST = join(ROOT, 'dist');
const BUILT_STAMP = join(DIST, '.built-from');
const MIN_NODE = [20, 19];

/**
 * Makes a checkout ready to run: its packages installed according to package-lock.json, dist/ built from src/. Costs
 * a few milliseconds if all is up to date. Safe in several processes at once. Its output goes to stderr. Throws, with
 * the tool's output, if installing or building fails.
 */
export async function ensureReady() {
  refuseOldNode();
  if (!isCheckout() || wasReady() || (isInstalled() && isBuilt())) return;
  const release = await lock();
  try {
    if (!isInstalled()) await install();
    if (!isBuilt()) await build();
  } finally {
    release();
  }
}

/** Like ensureReady, for callers that need the packages but not dist/. */
export async function ensureInstalled() {
  refuseOldNode();
  if (!isCheckout() || isInstalled()) return;
  const release = await lock();
  try {
    if (!isInstalled()) await install();
  } finally {
    release();
  }
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = MIN_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Error(
    `Drover needs Node ${MIN_NODE.join('.')} or newer, and this is ${process.versions.node}. ` +
      'Install a newer one from nodejs.org or your distribution.',
  );
}

/** A test run builds once, and starts the program some thousand times. */
function wasReady() {
  return process.env['DROVER_READY'] === ROOT;
}

/** A packed or deployed copy has no sources: there is nothing to install or build. */
function isCheckout() {
  return existsSync(join(ROOT, 'src')) && existsSync(join(ROOT, 'package-lock.json'));
}

function isInstalled() {
  const lockText = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const wanted = digest(lockText);
  if (readIfThere(INSTALLED_STAMP) === wanted) return existsSync(join(MODULES, '.bin'));
  // A manual npm install also counts: npm keeps its own record of installed packages.
  const account = readIfThere(join(MODULES, '.package-lock.json'));
  if (account === undefined || !sameVersions(JSON.parse(lockText), JSON.parse(account))) return false;
  writeFileSync(INSTALLED_STAMP, wanted);
  return true;
}

/**
 * @typedef {{ packages: Record<string, { version?: string, optional?: boolean, peer?: boolean }> }} Lock
 * @param {Lock} wanted
 * @param {Lock} installed
 */
export function sameVersions(wanted, installed) {
  return Object.entries(wanted.packages).every(([path, { version, optional }]) => {
    const found = installed.packages[path];
    // Packages for other platforms are optional and stay out.
    return path === '' || (found === undefined ? optional === true : found.version === version);
  });
}

async function install() {
  // npm would empty the directory behind the link, which others use.
  if (lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${MODULES} is a link, and what is behind it does not fit package-lock.json.`);
  }
  say('Installing packages (once, and again when they change) …');
  await orThrow('npm ci', 'npm', ['ci', '--no-progress', '--loglevel=error']);
  writeFileSync(INSTALLED_STAMP, digest(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
}

function isBuilt() {
  return readIfThere(BUILT_STAMP) === sourceStamp();
}

async function build() {
  say('Building …');
  const stamp = sourceStamp();
  const fresh = join(ROOT, 'dist.new');
  rmSync(fresh, { recursive: true, force: true });
  try {
    const bundler = join(MODULES, 'esbuild', 'bin', 'esbuild');
    await orThrow('The build', bundler, bundleOptions(join(fresh, 'adapters', 'bootstrap')));
    writeFileSync(join(fresh, '.built-from'), stamp);
    // The documentation is built of other files.
    if (existsSync(join(DIST, 'docs'))) renameSync(join(DIST, 'docs'), join(fresh, 'docs'));
    rmSync(DIST, { recursive: true, force: true });
    renameSync(fresh, DIST);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Names, sizes and times of all that the build reads; a new one is a reason to build again. */
function sourceStamp() {
  const inputs = ['tsconfig.json', 'package-lock.json', 'scripts/lib/bundle.mjs'].map((name) =>
    join(ROOT, name),
  );
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) inputs.push(join(entry.parentPath, entry.name));
  }
  const lines = inputs.sort().map((path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  return digest(lines.join('\n'));
}

/**
 * One process at a time. The lock is a socket in Linux's abstract namespace: the kernel frees it with its owner, so
 * there is no stale lock. Elsewhere there is no lock.
 *
 * @param {string} [what]
 * @returns {Promise<() => void>} releases it
 */
export async function lock(what = '') {
  if (process.platform !== 'linux') return () => {};
  const name = `\0drover-ensure-${digest(ROOT)}${what}`;
  for (let waited = false; ; waited = true) {
    const release = await listen(name);
    if (release) return release;
    if (!waited) say('Waiting for another process that installs or builds …');
    await sleep(100);
  }
}

/**
 * @param {string} name
 * @returns {Promise<(() => void) | undefined>}
 */
function listen(name) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(name, () => resolve(() => void server.close()));
  });
}

/**
 * @param {string} what
 * @param {string} program
 * @param {readonly string[]} args
 */
async function orThrow(what, program, args) {
  const { code, output } = await capture(program, args, { cwd: ROOT });
  if (code !== 0) throw new Error(`${what} failed:\n${output.trim()}`);
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureReady().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
