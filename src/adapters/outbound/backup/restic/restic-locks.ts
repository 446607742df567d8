import { z } from 'zod';
import { MINUTE } from '../../../../domain/base/instant.ts';
import { firstLines } from '../../hosts/shell/host-lines.ts';
import type { ResticHost } from './restic-host.ts';

/** restic takes a lock that is older than this for one that was left behind (its `staleLockTimeout`). */
const STALE_MS = 30 * MINUTE;
const TIMEOUT_MS = 60_000;
const MAX_LOCKS = 50;

const Lock = z.object({ time: z.string(), hostname: z.string(), pid: z.int(), exclusive: z.boolean() });
export type ResticLock = z.output<typeof Lock> & { readonly id: string };

/**
 * For each process id on standard input a line: whether it is alive. The first line is the host's name, the second
 * its clock.
 */
const ALIVE = `hostname 2>/dev/null || cat /proc/sys/kernel/hostname; date +%s
while read -r pid; do if [ -d "/proc/$pid" ]; then echo alive; else echo gone; fi; done`;

export interface LockReport {
  /** Locks of dead processes of this host. */
  readonly left: readonly ResticLock[];
  /** All others. */
  readonly held: readonly ResticLock[];
  /** Whether `restic unlock` would remove locks of others, only because they look old by this host's clock. */
  readonly hasForeignOld: boolean;
}

/** Looks at who holds the repository. */
export async function lockReport(restic: ResticHost, signal: AbortSignal): Promise<LockReport> {
  const locks = await locksOf(restic);
  const { stdout } = await restic.host.run(
    { script: ALIVE, stdin: locks.map(({ pid }) => `${pid}\n`).join(''), asRoot: true },
    { timeoutMs: TIMEOUT_MS, signal },
  );
  const [hostname, clock, ...states] = Array.from(firstLines(stdout.toString('utf8').trim(), MAX_LOCKS + 2));
  return judgeLocks(locks, {
    hostname: hostname ?? '',
    now: Number(clock) * 1_000,
    alive: new Set(locks.filter((_, index) => states[index] !== 'gone').map(({ id }) => id)),
  });
}

/** Pure, so that it can be tried with any clock. */
export function judgeLocks(
  locks: readonly ResticLock[],
  host: { readonly hostname: string; readonly now: number; readonly alive: ReadonlySet<string> },
): LockReport {
  const isLeft = (lock: ResticLock): boolean => lock.hostname === host.hostname && !host.alive.has(lock.id);
  const held = locks.filter((lock) => !isLeft(lock));
  return {
    left: locks.filter(isLeft),
    held,
    hasForeignOld: held.some(({ time }) => host.now - Date.parse(time) > STALE_MS),
  };
}

async function locksOf(restic: ResticHost): Promise<readonly ResticLock[]> {
  const ids: string[] = [];
  await restic.run({
    args: ['list', 'locks', '--no-lock', '--quiet'],
    onLine: (line) => {
      const id = line.trim();
      if (ids.length < MAX_LOCKS && /^[0-9a-f]{64}$/.test(id)) ids.push(id);
    },
  });
  const locks: ResticLock[] = [];
  for (const id of ids) {
    const end = await restic.run({ args: ['cat', 'lock', '--no-lock', id], isJson: true });
    const lock = Lock.safeParse(end.document);
    // it was lifted meanwhile
    if (end.exitCode === 0 && lock.success) locks.push({ ...lock.data, id });
  }
  return locks;
}
