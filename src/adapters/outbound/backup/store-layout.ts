import { join } from 'node:path';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/** The snapshots of a source, by its server. */
export interface SourceId {
  readonly serverId: number;
  readonly sourceId: number;
}

/** The directories of one source in the store. All are on one file system, so that a rename publishes. */
export interface SourcePlaces {
  readonly directory: string;
  /** Locked by writers; never removed while the source exists. */
  readonly lock: string;
  /** Data from interrupted runs: only a help for the next run, never a snapshot. */
  readonly received: string;
  /** The snapshot that a run is making. */
  readonly partial: string;
  /** Whole snapshots, and nothing else. */
  readonly snapshots: string;
  /** Snapshots that are being deleted. */
  readonly trash: string;
}

/** The parts of a snapshot's directory, whether it is whole or being made. */
export interface SnapshotPlaces {
  readonly directory: string;
  /** The files, below their full paths on the host. */
  readonly files: string;
  readonly manifest: string;
  /** The snapshot's facts; written last. */
  readonly facts: string;
}

export function placesOf(root: string, { serverId, sourceId }: SourceId): SourcePlaces {
  const directory = join(root, whole(serverId), whole(sourceId));
  return {
    directory,
    lock: join(directory, 'lock'),
    received: join(directory, 'received'),
    partial: join(directory, 'partial'),
    snapshots: join(directory, 'snapshots'),
    trash: join(directory, 'trash'),
  };
}

export const snapshotPlaces = (directory: string): SnapshotPlaces => ({
  directory,
  files: join(directory, 'files'),
  manifest: join(directory, 'manifest.jsonl'),
  facts: join(directory, 'snapshot.json'),
});

/** A requested snapshot; its name comes from outside. Throws `snapshot_damaged` for an invalid name. */
export function publishedPlaces(
  root: string,
  snapshot: SourceId & { readonly name: string },
): SnapshotPlaces {
  if (!isSnapshotName(snapshot.name)) {
    throw new DomainError('snapshot_damaged', `"${snapshot.name}" is no name of a snapshot in this store.`);
  }
  return snapshotPlaces(join(placesOf(root, snapshot).snapshots, snapshot.name));
}

/** Its start, in UTC, such as `20261120T051900.123Z`: names sort by time. */
export const snapshotName = (startedAt: Instant): string =>
  new Date(startedAt).toISOString().replace(/[-:]/g, '');

/** A second snapshot of the same millisecond is called `…Z-2`. */
export const isSnapshotName = (name: string): boolean => /^\d{8}T\d{6}\.\d{3}Z(-[1-9]\d{0,3})?$/.test(name);

function whole(id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`${id} is no id`);
  return String(id);
}
