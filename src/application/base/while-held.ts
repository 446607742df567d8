import type { Snapshot } from '../../domain/backups/snapshot.ts';
import { MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { SnapshotStore } from '../ports/backups/snapshot-store.ts';
import type { Clock } from '../ports/base/clock.ts';

/**
 * Retention skips a snapshot for this long after each renewal by a reader. It is short because it only ends by
 * expiry: two readers of one snapshot share the same hold, so that neither can end it early.
 */
const HOLD_MS = 2 * MINUTE;
const HOLD_AGAIN_MS = 30 * SECOND;

/** Keeps a snapshot from being removed while it is read. Throws `snapshot_not_found`. */
export async function whileHeld<T>(
  { snapshots, clock }: { readonly snapshots: SnapshotStore; readonly clock: Clock },
  { id }: Pick<Snapshot, 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  await snapshots.hold(id, HOLD_MS);
  const over = new AbortController();
  const holding = (async (): Promise<void> => {
    for (;;) {
      await clock.sleep(HOLD_AGAIN_MS, over.signal);
      if (over.signal.aborted) return;
      // A failed renewal leaves the previous hold in force; the next one comes before it ends.
      await snapshots.hold(id, HOLD_MS).catch(() => undefined);
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await holding;
  }
}
