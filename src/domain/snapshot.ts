import { DomainError } from './errors.ts';
import type { Instant } from './instant.ts';

/** A backup that is whole. What is not whole is never a snapshot. Sizes are bytes. */
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
  /** What was copied over the wire for it. */
  readonly transferredBytes: number;
  /** Files that went away while they were read; they are not in the snapshot. */
  readonly vanishedCount: number;
  /** SHA-256 of the manifest, hex. */
  readonly manifestSha256: string;
  readonly lastVerifiedAt: Instant | null;
}

export type NewSnapshot = Omit<Snapshot, 'id' | 'lastVerifiedAt'>;

export const snapshotNotFound = (id: number): DomainError =>
  new DomainError('snapshot_not_found', `There is no snapshot with id ${id}.`);
