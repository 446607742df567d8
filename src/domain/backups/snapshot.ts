import { DomainError } from '../base/errors.ts';
import { type Instant, toMinute } from '../base/instant.ts';

/** A complete backup; a partial one is never a snapshot. Sizes are bytes. */
export interface Snapshot {
  readonly id: number;
  readonly serverId: number;
  readonly sourceId: number;
  readonly sourceName: string;
  readonly jobId: number | null;
  readonly engine: string;
  /** The engine's own name for it, unique within the source. */
  readonly name: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** Bytes transferred. */
  readonly transferredBytes: number;
  /** Files that went away while they were read; they are not in the snapshot. */
  readonly vanishedCount: number;
  /** SHA-256 of the manifest, hex. */
  readonly manifestSha256: string;
  /** When it was last restored to a scratch place and found good; `null` also once it was found damaged. */
  readonly lastVerifiedAt: Instant | null;
  /** How verifying it ended the last time. */
  readonly check: SnapshotCheck | null;
  /** Since when it is pinned: retention never removes it, and it cannot be deleted. */
  readonly pinnedAt: Instant | null;
}

export const CHECK_OUTCOMES = ['good', 'damaged'] as const;

/** The result of a verification. */
export interface SnapshotCheck {
  readonly at: Instant;
  readonly outcome: (typeof CHECK_OUTCOMES)[number];
  /** Whether all of the snapshot was compared, or a sample. */
  readonly files: number;
  readonly bytes: number;
  /** Why it is damaged. */
  readonly detail: string | null;
}

export type NewSnapshot = Omit<Snapshot, 'id' | 'lastVerifiedAt' | 'check' | 'pinnedAt'>;

/** `site (2026-11-22 14:32 UTC)`: a snapshot in a text for people; its `name` is the engine's. */
export const snapshotLabel = ({
  sourceName,
  startedAt,
}: Pick<Snapshot, 'sourceName' | 'startedAt'>): string => `${sourceName} (${toMinute(startedAt)})`;

/** A snapshot that was found damaged is no backup: it counts for nothing. */
export const isDamaged = ({ check }: Pick<Snapshot, 'check'>): boolean => check?.outcome === 'damaged';

/** What a source loses with a snapshot: its last good one, or the last one that was verified. */
export type SnapshotLoss = 'last_good' | 'last_verified';

/** `null`: the source has another snapshot of that quality. */
export function lossOf(
  snapshot: Pick<Snapshot, 'id' | 'check' | 'lastVerifiedAt'>,
  ofSource: readonly Pick<Snapshot, 'id' | 'check' | 'lastVerifiedAt'>[],
): SnapshotLoss | null {
  if (isDamaged(snapshot)) return null;
  const others = ofSource.filter((each) => each.id !== snapshot.id && !isDamaged(each));
  if (others.length === 0) return 'last_good';
  const isOnlyVerified =
    snapshot.lastVerifiedAt !== null && others.every(({ lastVerifiedAt }) => lastVerifiedAt === null);
  return isOnlyVerified ? 'last_verified' : null;
}

/** How well a source of a server is covered by snapshots that are not known to be damaged. */
export interface SourceCoverage {
  readonly sourceId: number;
  /** When the newest one started. */
  readonly backedUpAt: Instant | null;
  /** When one was found good last. */
  readonly verifiedAt: Instant | null;
}

/** A server's coverage is that of its least covered source; `null` if one was never verified. */
export function coverageOf(sources: readonly SourceCoverage[]): {
  readonly lastBackupAt: Instant | null;
  readonly lastVerifiedAt: Instant | null;
} {
  const least = (times: readonly (Instant | null)[]): Instant | null =>
    times.length === 0 || times.includes(null) ? null : Math.min(...times.filter((time) => time !== null));
  return {
    lastBackupAt: least(sources.map(({ backedUpAt }) => backedUpAt)),
    lastVerifiedAt: least(sources.map(({ verifiedAt }) => verifiedAt)),
  };
}

export const snapshotPinned = (id: number): DomainError =>
  new DomainError('snapshot_protected', `Snapshot ${id} is pinned. Unpin it first.`);

export const snapshotNotFound = (id: number): DomainError =>
  new DomainError('snapshot_not_found', `There is no snapshot with id ${id}.`);
