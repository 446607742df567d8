import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../../domain/base/errors.ts';
import { runTool } from './local-program.ts';
import { PRIVATE_FILE } from './store-directory.ts';

const POLL_MS = 200;

/**
 * Allows one writer at a time in a source's directory. It is an flock(2) on an open file, which every started rsync
 * inherits: the kernel releases the lock when the last of them has exited, so a killed service leaves no stale lock,
 * and no second rsync joins an orphaned one.
 */
export class SourceLock {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Waits up to `patienceMs`; `null` when another holds it all that time. */
  static async acquire(path: string, patienceMs: number, signal?: AbortSignal): Promise<SourceLock | null> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, PRIVATE_FILE);
    try {
      const until = performance.now() + patienceMs;
      for (;;) {
        if (await isLocked(file, signal)) return new SourceLock(file);
        if (performance.now() >= until) break;
        await sleep(POLL_MS, undefined, signal ? { signal } : {});
      }
    } catch (error) {
      await file.close();
      signal?.throwIfAborted();
      throw error;
    }
    await file.close();
    return null;
  }

  /** For children to inherit. */
  get fd(): number {
    return this.#file.fd;
  }

  async release(): Promise<void> {
    await this.#file.close();
  }
}

/** util-linux and busybox lock a descriptor that they are given; the lock belongs to the open file, not to them. */
async function isLocked(file: FileHandle, signal: AbortSignal | undefined): Promise<boolean> {
  const { exitCode, stderr } = await runTool('flock', ['-n', '3'], {
    fds: [file.fd],
    ...(signal ? { signal } : {}),
  });
  if (exitCode === 0) return true;
  if (exitCode === 1 && stderr === '') return false;
  throw new DomainError(
    'backup_failed',
    `The backup store cannot be locked: ${stderr || `flock ended with ${exitCode}`}.`,
  );
}
