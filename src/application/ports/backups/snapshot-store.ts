import type {
  NewSnapshot,
  Snapshot,
  SnapshotCheck,
  SourceCoverage,
} from '../../../domain/backups/snapshot.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { SnapshotOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface KnownSnapshots {
  readonly listed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

/** The snapshots that are whole. */
export interface SnapshotStore {
  /**
   * Records a published snapshot and moves its source's `lastSuccessAt` forward to `startedAt` (never back).
   * Recording the same (source, name) again returns the existing one.
   */
  add(snapshot: NewSnapshot): Promise<Snapshot>;
  find(id: number): Promise<Snapshot | null>;
  /** Newest first unless another order is given. Ties are newest first. */
  list(
    filter: { serverId: number; sourceId?: number },
    page: PageRequest,
    order?: SnapshotOrder,
  ): Promise<Page<Snapshot>>;
  /** All of a source, newest first; at most 10,000. */
  ofSource(sourceId: number): Promise<readonly Snapshot[]>;
  /**
   * Keeps a snapshot from being removed until then (by the database's clock, `ms` from now). Throws
   * `snapshot_not_found`. Holding longer than before extends it; it is never shortened.
   */
  hold(id: number, ms: number): Promise<void>;
  /**
   * Removes it from the list, and records that its data is to be removed. Throws `snapshot_in_use` while it is held,
   * `snapshot_protected` if it is pinned, `snapshot_not_found`.
   */
  remove(id: number, record: ChangeRecord): Promise<void>;
  /** Pins it since then; `null`: unpins it. Throws `snapshot_not_found`. */
  pin(id: number, since: Instant | null, record: ChangeRecord): Promise<Snapshot>;
  /** Names of a source's listed snapshots, and of removed ones. */
  known(sourceId: number): Promise<KnownSnapshots>;
  /** Deletes the records of these removals: nothing is left of them. Removals of the last day stay recorded. */
  forgetRemoved(sourceId: number, names: readonly string[]): Promise<void>;
  /** Stores the result of a verification. If the snapshot was removed in the meantime, that is no error. */
  recordCheck(id: number, check: SnapshotCheck): Promise<void>;
  /** For each source of a server, also those without a snapshot. Ignores dates later than `upTo`. */
  coverage(serverId: number, upTo: Instant): Promise<readonly SourceCoverage[]>;
}
