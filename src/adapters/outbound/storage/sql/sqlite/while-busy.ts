import { setTimeout as sleep } from 'node:timers/promises';
import { isSqliteBusy } from '../sql-errors.ts';

/**
 * Waiting inside SQLite blocks the whole process, so that is kept short; the rest of the wait for another process that
 * writes is spent outside.
 */
export const BLOCKING_WAIT_MS = 5;
const MAX_WAIT_MS = 15_000;

/** Tries again while another process holds the write lock; inside a transaction the lock is ours, so nothing waits there. */
export async function whileBusy<T>(
  attempt: () => T,
  connection?: { readonly inTransaction: boolean },
): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      deadline ??= Date.now() + MAX_WAIT_MS;
      if (!isSqliteBusy(error) || connection?.inTransaction || Date.now() > deadline) throw error;
      await sleep(2 + Math.random() * 15);
    }
  }
}
