import { readlink } from 'node:fs/promises';
import { DomainError } from '../../domain/errors.ts';
import { type ByteString, bytesOfBuffer, display } from './byte-string.ts';
import { hashFile } from './file-hash.ts';
import { lookAt, pathBelow, type TreeEntry, walkTree } from './file-tree.ts';
import { entryOf, isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { ManifestWriter, readManifest } from './manifest-file.ts';
import { mergeSorted } from './merge-sorted.ts';
import { orderedMap } from './ordered-map.ts';
import { isErrno } from './store-directory.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/** The longest path that Linux takes, in bytes, without the closing NUL. */
const PATH_MAX = 4_095;
/** How much longer a file's path in the store gets when its snapshot is published, at the most. */
const RENAME_BYTES = 'snapshots/20261120T051900.123Z-9999'.length - 'partial'.length;

/** Files that are hashed side by side. */
const WIDTH = 8;
/** Hashes of files with several names are kept for so many of them, so that each is read once. */
const MOST_LINKED = 50_000;

export interface ManifestSummary {
  readonly sha256: string;
  /** Everything but directories. */
  readonly fileCount: number;
  readonly totalBytes: number;
  /** Files that are one with those of the former snapshot. */
  readonly linkedCount: number;
  readonly hashedBytes: number;
}

/**
 * Walks a snapshot's files and writes its manifest. A file that is the former snapshot's by inode takes its hash over
 * from the former manifest; all others are read. `onHashed` hears how many bytes have been read in all.
 */
export async function buildManifest(
  snapshot: SnapshotPlaces,
  former: SnapshotPlaces | null,
  watch: { readonly onHashed?: (bytes: number) => void; readonly signal: AbortSignal },
): Promise<ManifestSummary> {
  const builder = new Builder(snapshot, former, watch);
  const writer = await ManifestWriter.create(snapshot.manifest);
  try {
    const pairs = mergeSorted(walkTree(snapshot.files, watch.signal), formerEntries(former));
    for await (const entry of orderedMap(pairs, WIDTH, ([found, before]) =>
      builder.describe(found, before),
    )) {
      if (!entry) continue;
      builder.count(entry);
      await writer.add(entry);
    }
    return builder.summary(await writer.finish());
  } catch (error) {
    await writer.abandon();
    throw isErrno(error, 'ENAMETOOLONG') ? tooLong() : error;
  }
}

/** A former snapshot that went away or is damaged only costs the reading of every file. */
async function* formerEntries(former: SnapshotPlaces | null): AsyncGenerator<ManifestEntry, void, undefined> {
  if (!former) return;
  try {
    yield* readManifest(former.manifest);
  } catch {
    // what follows is hashed
  }
}

class Builder {
  readonly #snapshot: SnapshotPlaces;
  readonly #former: SnapshotPlaces | null;
  readonly #watch: { readonly onHashed?: (bytes: number) => void; readonly signal: AbortSignal };
  /** By inode. */
  readonly #hashesOfLinked = new Map<bigint, Promise<string>>();
  readonly #filesBytes: number;
  #fileCount = 0;
  #totalBytes = 0;
  #linkedCount = 0;
  #hashedBytes = 0;

  constructor(
    snapshot: SnapshotPlaces,
    former: SnapshotPlaces | null,
    watch: { readonly onHashed?: (bytes: number) => void; readonly signal: AbortSignal },
  ) {
    this.#snapshot = snapshot;
    this.#filesBytes = Buffer.byteLength(snapshot.files);
    this.#former = former;
    this.#watch = watch;
  }

  async describe(
    found: TreeEntry | undefined,
    former: ManifestEntry | undefined,
  ): Promise<ManifestEntry | undefined> {
    if (!found) return undefined;
    if (this.#filesBytes + 1 + found.path.length > PATH_MAX - RENAME_BYTES) throw tooLong(found.path);
    const entry = entryOf(found.path, found.stat);
    if (entry.type === 'symlink') return { ...entry, target: await this.#target(found.path) };
    if (entry.type !== 'file') return entry;
    if (former && (await this.#isFormer(found, entry, former))) {
      this.#linkedCount += 1;
      return { ...entry, ...(former.sha256 === undefined ? {} : { sha256: former.sha256 }) };
    }
    return { ...entry, sha256: await this.#hash(found, entry) };
  }

  count(entry: ManifestEntry): void {
    if (isDirectory(entry)) return;
    this.#fileCount += 1;
    this.#totalBytes += entry.size;
  }

  summary(sha256: string): ManifestSummary {
    return {
      sha256,
      fileCount: this.#fileCount,
      totalBytes: this.#totalBytes,
      linkedCount: this.#linkedCount,
      hashedBytes: this.#hashedBytes,
    };
  }

  async #isFormer(found: TreeEntry, entry: ManifestEntry, former: ManifestEntry): Promise<boolean> {
    if (!this.#former || found.stat.nlink < 2n || former.sha256 === undefined) return false;
    if (former.size !== entry.size || former.mtimeNs !== entry.mtimeNs) return false;
    const stat = await lookAt(pathBelow(this.#former.files, found.path));
    return stat?.ino === found.stat.ino && stat.dev === found.stat.dev;
  }

  #hash(found: TreeEntry, entry: ManifestEntry): Promise<string> {
    if (found.stat.nlink < 2n) return this.#read(found.path, entry.size);
    const known = this.#hashesOfLinked.get(found.stat.ino);
    if (known) return known;
    const hash = this.#read(found.path, entry.size);
    if (this.#hashesOfLinked.size < MOST_LINKED) this.#hashesOfLinked.set(found.stat.ino, hash);
    return hash;
  }

  #read(path: ByteString, size: number): Promise<string> {
    const onBytes = (bytes: number): void => {
      this.#hashedBytes += bytes;
      this.#watch.onHashed?.(this.#hashedBytes);
    };
    return hashFile(pathBelow(this.#snapshot.files, path), size, onBytes, this.#watch.signal);
  }

  async #target(path: ByteString): Promise<ByteString> {
    return bytesOfBuffer(await readlink(pathBelow(this.#snapshot.files, path), { encoding: 'buffer' }));
  }
}

const tooLong = (path?: ByteString): DomainError =>
  new DomainError(
    'backup_failed',
    `${path ? `The path "/${display(path).slice(0, 300)}…" of ${path.length} bytes` : 'A path'} is too long to be kept below the backup store: exclude it, or move it up on the host.`,
  );
