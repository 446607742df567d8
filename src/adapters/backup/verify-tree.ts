import { readlink } from 'node:fs/promises';
import { DomainError, isDomainError } from '../../domain/errors.ts';
import { bytesOfBuffer } from './byte-string.ts';
import { hashFile } from './file-hash.ts';
import { pathBelow, type TreeEntry, walkTree } from './file-tree.ts';
import { Findings } from './findings.ts';
import { entryOf, isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import { mergeSorted } from './merge-sorted.ts';
import { orderedMap } from './ordered-map.ts';
import { isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

const WIDTH = 8;

export interface Verified {
  /** Everything but directories. */
  readonly files: number;
  readonly bytes: number;
  readonly findings: Findings;
}

/**
 * Compares every path of a snapshot with its manifest: type, size, content, target, permissions, owner, time. Throws
 * `snapshot_damaged` where the manifest itself is not what was recorded (`manifestSha256`, hex).
 */
export async function verifyTree(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
  watch: { readonly onBytes: (bytes: number) => void; readonly signal: AbortSignal },
): Promise<Verified> {
  const findings = new Findings();
  let files = 0;
  let bytes = 0;
  const onBytes = (more: number): void => {
    bytes += more;
    watch.onBytes(bytes);
  };
  const pairs = mergeSorted(
    walkTree(snapshot.files, watch.signal),
    readManifest(snapshot.manifest, manifestSha256),
  );
  const checks = orderedMap(pairs, WIDTH, async ([found, expected]) => {
    if (!expected) return { path: found.path, fault: 'is in the store and not in the manifest' };
    if (!found) return { path: expected.path, fault: 'is missing' };
    if (!isDirectory(expected)) files += 1;
    const fault = await faultOf(snapshot, found, expected, onBytes, watch.signal);
    return { path: expected.path, fault };
  });
  try {
    for await (const { path, fault } of checks) {
      if (fault !== null) findings.add(path, fault);
    }
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
    throw new DomainError('snapshot_damaged', 'The snapshot went away while it was verified.', {
      cause: error,
    });
  }
  return { files, bytes, findings };
}

async function faultOf(
  snapshot: SnapshotPlaces,
  found: TreeEntry,
  expected: ManifestEntry,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string | null> {
  const entry = entryOf(found.path, found.stat);
  if (entry.type !== expected.type) return `is a ${entry.type} and was a ${expected.type}`;
  if (entry.size !== expected.size) return `has ${entry.size} bytes and had ${expected.size}`;
  if (entry.device !== expected.device) return 'is another device';
  const place = pathBelow(snapshot.files, found.path);
  if (expected.type === 'symlink') {
    const target = bytesOfBuffer(await readlink(place, { encoding: 'buffer' }));
    if (target !== expected.target) return 'points elsewhere';
  }
  if (expected.type === 'file') {
    const content = await hashFile(place, expected.size, onBytes, signal).catch(asUnreadable);
    if (content === UNREADABLE) return 'cannot be read';
    if (content !== expected.sha256) return 'has another content';
  }
  return attributeFault(entry, expected);
}

function attributeFault(entry: ManifestEntry, expected: ManifestEntry): string | null {
  if (entry.mode !== expected.mode) return 'has other permissions';
  if (entry.mtimeNs !== expected.mtimeNs) return 'has another modification time';
  return entry.uid !== expected.uid || entry.gid !== expected.gid ? 'has another owner' : null;
}

const UNREADABLE = 'unreadable';

/** A bad sector is a finding about one file, and not the end of the check. */
function asUnreadable(error: unknown): typeof UNREADABLE {
  const isRead = error instanceof Error && 'code' in error && 'syscall' in error;
  if (isRead || isDomainError(error, 'snapshot_damaged')) return UNREADABLE;
  throw error;
}
