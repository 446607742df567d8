import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** System programs live in sbin directories that a plain user's PATH often leaves out. */
export const SYSTEM_PATH = [
  process.env['PATH'],
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/usr/bin',
  '/bin',
].join(':');

/** Runs a program to its end and gives its stdout; a failure carries the end of its stderr. */
export async function run(program: string, args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, PATH: SYSTEM_PATH }, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(`${program} failed (${error.code ?? error.signal}): ${stderr.slice(-2000)}`));
    });
    child.stdin?.end(input ?? '');
  });
}

/** Starts a program that the kernel kills as soon as this process dies, however it dies. */
export function spawnBound(program: string, args: readonly string[]): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: SYSTEM_PATH },
    detached: true,
  });
}

/** SIGKILL, and returns when the process is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Asks again every `everyMs` until the answer is not undefined; fails with `what` after `withinMs`. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined>,
  everyMs = 20,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what} within ${withinMs} ms`);
    await sleep(everyMs);
  }
}
