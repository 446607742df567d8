import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SYSTEM_PATH } from '../../scripts/lib/programs.mjs';

/** Starts a program that the kernel kills as soon as this process dies, however it dies; as `user`, if root is not to. */
export function spawnBound(program: string, args: readonly string[], user?: string): ChildProcess {
  // In one call: the kernel drops the death signal when a process changes its user.
  const as = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  return spawn('setpriv', [...as, '--pdeathsig', 'KILL', '--', program, ...args], {
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

/** The same, with what a program of `spawnBound` started, also if itself it has ended. */
export async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // None is left.
    }
  }
  await kill(child);
}

/** After a second or more of waiting: questions cost processor time, which the other files need. */
const MAX_PAUSE_MS = 75;

/**
 * Retries every `everyMs`, and less often after a second, until the answer is not undefined; fails with `what` after
 * `withinMs`.
 */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined>,
  everyMs = 20,
): Promise<T> {
  const started = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waited = Date.now() - started;
    if (waited > withinMs) throw new Error(`${what} within ${withinMs} ms`);
    await sleep(Math.max(everyMs, Math.min(MAX_PAUSE_MS, waited / 20)));
  }
}

/** For `catch`: puts the log of what failed, which says why, before the error's message. */
export function withLog(read: () => string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${read()}\n${error instanceof Error ? error.message : String(error)}`);
  };
}
