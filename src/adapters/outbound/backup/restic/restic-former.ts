import { join } from 'node:path';
import type { ByteString } from '../byte-string.ts';
import { bytesOfBuffer } from '../byte-string.ts';
import { isDirectory } from '../manifest-entry.ts';
import { readManifest } from '../manifest-file.ts';
import { factsOf } from '../snapshot-facts.ts';
import { type SnapshotPlaces, snapshotPlaces } from '../store-layout.ts';
import type { ResticSummary } from './restic-messages.ts';
import { findReference } from './restic-places.ts';

/** The last published snapshot of a source. */
export interface FormerSnapshot {
  readonly places: SnapshotPlaces;
  readonly name: string;
  readonly manifestSha256: string;
  /** In the repository; `null` if the service does not know it. */
  readonly id: string | null;
}

/** The entries of an intact manifest. */
interface ListedFiles {
  readonly roots: readonly ByteString[];
  /** Everything but directories. */
  readonly fileCount: number;
  readonly regularCount: number;
  readonly totalBytes: number;
}

export async function formerSnapshot(
  snapshotsDirectory: string,
  latest: { readonly name: string; readonly manifestSha256: string } | undefined,
): Promise<FormerSnapshot | null> {
  if (latest === undefined) return null;
  const { name, manifestSha256 } = latest;
  const places = snapshotPlaces(join(snapshotsDirectory, name));
  return { places, name, manifestSha256, id: await findReference(places.directory) };
}

/** `null` for a manifest that is damaged, or does not have the SHA-256 of all files. */
export async function listedFiles(
  { places, name, manifestSha256 }: FormerSnapshot,
  signal: AbortSignal,
): Promise<ListedFiles | null> {
  let fileCount = 0;
  let regularCount = 0;
  let totalBytes = 0;
  try {
    const facts = await factsOf(places, name);
    const roots = facts.roots.map(bytesOfBuffer);
    const rootPaths = new Set(roots.map((root) => root.slice(1)));
    for await (const entry of readManifest(places.manifest, manifestSha256)) {
      signal.throwIfAborted();
      const isFile = entry.type === 'file';
      // restic counts files and directories only: other types show in the directory that holds them
      if (rootPaths.has(entry.path) && !isFile && !isDirectory(entry)) return null;
      if (isFile && entry.sha256 === undefined) return null;
      if (!isDirectory(entry)) fileCount += 1;
      if (isFile) regularCount += 1;
      totalBytes += entry.size;
    }
    return { roots, fileCount, regularCount, totalBytes };
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** Whether restic, which compared with the snapshot of that manifest, found every file and directory as it was. */
export function isUnchanged(
  summary: ResticSummary,
  roots: readonly ByteString[],
  listed: ListedFiles,
): boolean {
  const { files_new, files_changed, dirs_new, dirs_changed, data_blobs, tree_blobs } = summary;
  const differences = [files_new, files_changed, dirs_new, dirs_changed, data_blobs, tree_blobs];
  return (
    differences.every((count) => count === 0) &&
    summary.total_files_processed === listed.regularCount &&
    summary.total_bytes_processed === listed.totalBytes &&
    roots.length === listed.roots.length &&
    roots.every((root, index) => root === listed.roots[index])
  );
}
