import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../ensure.mjs';
import { cacheDir } from './cache.mjs';
import { SYSTEM_PATH } from './programs.mjs';
import { tally } from './tally.mjs';

const INSIDE = fileURLToPath(new URL('./inside.mjs', import.meta.url));
const NAMESPACES = ['-n', '-m', '-p', '-f', '--kill-child', '--mount-proc', '--propagation', 'private'];
/**
 * As pid 1 of the namespace, bash takes care of orphans; the second command keeps it from replacing itself. Each first
 * start of the service reads this machine's pending updates, which costs four seconds of processor time where apt keeps
 * no cache, as in Debian's images: without the largest package lists it costs a third of one.
 */
const PREPARE = `ip link set lo up || exit 1
mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs "$TMPDIR" || exit 1
if [ -d /var/lib/apt/lists ]; then
  cp -a /var/lib/apt/lists "$TMPDIR/apt-lists" && find "$TMPDIR/apt-lists" -type f -size +2048k -delete &&
    mount --bind "$TMPDIR/apt-lists" /var/lib/apt/lists || exit 1
fi
"$@"
exit $?`;

/**
 * Runs vitest with these arguments. In separate namespaces, the suite has no network but its loopback, and the kernel
 * ends what it starts. It always has a separate temporary directory and home.
 *
 * @param {{ arguments: string[], isolated: boolean, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ counted: import('./tally.mjs').Tally, left: string[] }>} left: its leftovers
 */
export async function runSuite({ arguments: args, isolated, env }) {
  const work = mkdtempSync(join(tmpdir(), 'drover-npm-test-'));
  for (const part of ['tmp', 'home']) mkdirSync(join(work, part));
  // Tests run programs as other users too, who need a way to their files, as in any TMPDIR.
  chmodSync(work, 0o755);
  chmodSync(join(work, 'tmp'), 0o1777);
  const [reportFile, resultFile] = [join(work, 'report.json'), join(work, 'result.json')];
  const vitest = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...args];
  const inside = [process.execPath, INSIDE, resultFile, isolated ? 'isolated' : 'open', ...vitest];
  const [program = '', ...programArguments] = isolated
    ? [
        'setpriv',
        '--pdeathsig',
        'KILL',
        '--',
        'unshare',
        ...NAMESPACES,
        '--',
        'bash',
        '-c',
        PREPARE,
        'bash',
        ...inside,
      ]
    : inside;
  try {
    const code = await run(program, programArguments, {
      ...env,
      DROVER_TEST_RUN: work,
      TMPDIR: join(work, 'tmp'),
      HOME: join(work, 'home'),
      XDG_CACHE_HOME: dirname(cacheDir()),
      ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
    });
    const result = readJson(resultFile) ?? { code, left: ['unknown: the run was cut short'] };
    return { counted: tally(relativeNames(readJson(reportFile)), result.code), left: result.left };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Ends the child when this process is ended, so that the caller's clean-up still happens.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
function run(program, args, env) {
  const child = spawn(program, args, {
    env: { ...process.env, PATH: SYSTEM_PATH, ...env },
    stdio: 'inherit',
  });
  const stop = () => child.kill('SIGKILL');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, stop);
  return new Promise((resolve) => {
    const end = (/** @type {number | null} */ code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, stop);
      resolve(code ?? 1);
    };
    child.once('error', () => end(127));
    child.once('exit', end);
  });
}

/** @param {{ testResults: import('./tally.mjs').TestFile[] } | undefined} report */
function relativeNames(report) {
  for (const file of report?.testResults ?? []) file.name = relative(ROOT, file.name);
  return report;
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
