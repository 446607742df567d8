import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Descriptor } from './descriptor.ts';

/** Where util-linux, or busybox, puts flock(1). */
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** For a writer that compares a large file. Seconds. */
const PATIENCE = 10;
/** flock(1) ends so where somebody else holds the lock all that time. */
const TAKEN = 1;

/**
 * Locks an open directory against the writes of other processes until it is closed, as the helper on hosts does. Node has
 * no flock(2), but a lock belongs to what was opened, which a child shares. `taken`: somebody held it all the time; `none`:
 * there are no such locks here.
 */
export async function lockDirectory(directory: Descriptor): Promise<'held' | 'taken' | 'none'> {
  const child = spawn('flock', ['-w', String(PATIENCE), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', directory.fd],
    env: { PATH },
  });
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code === 0) return 'held';
    return code === TAKEN ? 'taken' : 'none';
  } catch {
    return 'none';
  }
}
