import type { Snapshot } from '../../domain/backups/snapshot.ts';
import { MINUTE, SECOND } from '../../domain/base/instant.ts';
import type { SnapshotStore } from '../ports/backups/snapshot-store.ts';
import type { Clock } from '../ports/base/clock.ts';

/**
 * Retention leaves a snapshot alone for this long after each sign that it is being read. It is short because nothing ends
 * it sooner: two that read one snapshot hold it by the same mark, so that none of them can take it away.
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
      // A failed renewal leaves the former hold in force; the next one comes before it ends.
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
