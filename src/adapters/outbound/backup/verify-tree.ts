import { readlink } from 'node:fs/promises';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import { bytesOfBuffer } from './byte-string.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow, type TreeEntry, walkTree } from './file-tree.ts';
import { Findings } from './findings.ts';
import { entryOf, type ManifestEntry } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import { mergeSorted } from './merge-sorted.ts';
import { isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

const WIDTH = 8;

/**
 * Compares the metadata of every path of a snapshot with its manifest, without reading contents: type, size, target,
 * permissions, owner, time. Throws `snapshot_damaged` if the manifest itself is not the recorded one
 * (`manifestSha256`, hex).
 */
export async function verifyTree(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
  signal: AbortSignal,
): Promise<Findings> {
  const findings = new Findings();
  const pairs = mergeSorted(
    walkTree(snapshot.files, signal),
    readManifest(snapshot.manifest, manifestSha256),
  );
  const checks = orderedMap(pairs, WIDTH, async ([found, expected]) => {
    if (!expected) return { path: found.path, fault: 'is in the store but not in the manifest' };
    if (!found) return { path: expected.path, fault: 'is missing' };
    return { path: expected.path, fault: await faultOf(snapshot, found, expected) };
  });
  try {
    for await (const { path, fault } of checks) {
      if (fault !== null) findings.add(path, fault);
    }
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
    throw new DomainError('snapshot_damaged', 'The snapshot was removed while it was verified.', {
      cause: error,
    });
  }
  return findings;
}

/** Whether a path in the store differs from the manifest, including its content. */
export async function isRotten(
  snapshot: SnapshotPlaces,
  expected: ManifestEntry,
  signal: AbortSignal,
): Promise<boolean> {
  const place = pathBelow(snapshot.files, expected.path);
  const stat = await lookAt(place);
  if (!stat || (await faultOf(snapshot, { path: expected.path, stat }, expected)) !== null) return true;
  if (expected.type !== 'file') return false;
  const content = await hashFile(place, expected.size, () => undefined, signal).catch(asUnreadable);
  return content !== expected.sha256;
}

async function faultOf(
  snapshot: SnapshotPlaces,
  found: TreeEntry,
  expected: ManifestEntry,
): Promise<string | null> {
  const entry = entryOf(found.path, found.stat);
  if (entry.type !== expected.type) return `is a ${entry.type} instead of a ${expected.type}`;
  if (entry.size !== expected.size) return `has ${entry.size} bytes instead of ${expected.size}`;
  if (entry.device !== expected.device) return 'is a different device';
  if (expected.type === 'symlink') {
    const place = pathBelow(snapshot.files, found.path);
    const target = bytesOfBuffer(await readlink(place, { encoding: 'buffer' }));
    if (target !== expected.target) return 'points elsewhere';
  }
  return attributeFault(entry, expected);
}

function attributeFault(entry: ManifestEntry, expected: ManifestEntry): string | null {
  if (entry.mode !== expected.mode) return 'has different permissions';
  if (entry.mtimeNs !== expected.mtimeNs) return 'has a different modification time';
  return entry.uid !== expected.uid || entry.gid !== expected.gid ? 'has a different owner' : null;
}

const UNREADABLE = 'unreadable';

/** A bad sector is a finding about one file, and not the end of the check. */
function asUnreadable(error: unknown): typeof UNREADABLE {
  const isRead = error instanceof Error && 'code' in error && 'syscall' in error;
  if (isRead || isDomainError(error, 'snapshot_damaged')) return UNREADABLE;
  throw error;
}

/** Maps a stream with up to `width` concurrent tasks; results keep the order of the stream. */
export async function* orderedMap<T, R>(
  source: AsyncIterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const underWay: Array<Promise<R>> = [];
  try {
    for await (const item of source) {
      const result = work(item);
      // a failure is thrown when its turn comes; until then it is not unhandled
      result.catch(() => undefined);
      underWay.push(result);
      const first = underWay.length >= width ? underWay.shift() : undefined;
      if (first) yield await first;
    }
    for (let next = underWay.shift(); next; next = underWay.shift()) yield await next;
  } finally {
    await Promise.allSettled(underWay);
  }
}
