import { lstatSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, bytesOfBuffer } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { pathBelow } from './file-tree.ts';
import { FormerLines, type FormerSnapshot } from './former-snapshot.ts';
import { HostStateWriter, removeHostState } from './host-state.ts';
import { entryOf, type ManifestEntry } from './manifest-entry.ts';
import { ManifestWriter } from './manifest-file.ts';
import { Pace } from './pace.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { shownPath } from './tree-clone.ts';

export interface ManifestSummary {
  readonly sha256: string;
  /** Everything but directories. */
  readonly fileCount: number;
  readonly totalBytes: number;
  /** Files that share an inode with the previous snapshot. */
  readonly linkedCount: number;
}

/**
 * Writes the manifest of a finished tree, and beside it the host's metadata of each path. Lines of unchanged files
 * come from the previous manifest; new files are checked once more, without reading them. Neither file is flushed to
 * disk.
 */
export async function describeSnapshot(
  snapshot: SnapshotPlaces,
  planned: readonly Planned[],
  former: FormerSnapshot | null,
  signal: AbortSignal,
): Promise<ManifestSummary> {
  await rm(snapshot.manifest, { force: true });
  await removeHostState(snapshot);
  const manifest = await ManifestWriter.create(snapshot.manifest);
  const state = await HostStateWriter.create(snapshot);
  const lines = former ? new FormerLines(former.places) : null;
  const describer = new Describer(snapshot.files, manifest, lines, signal);
  const pace = new Pace(signal);
  try {
    for (const each of planned) {
      if (pace.isLong()) await pace.rest();
      if (each.action === 'gone') continue;
      const adding = describer.add(each);
      if (adding) await adding;
      const added = state.add(each.entry.key, each.isSure);
      if (added) await added;
    }
    const sha256 = await manifest.finish();
    await state.finish(sha256);
    return describer.summary(sha256);
  } catch (error) {
    await manifest.abandon();
    await state.abandon();
    throw error;
  } finally {
    await lines?.close();
  }
}

class Describer {
  readonly #files: string;
  readonly #manifest: ManifestWriter;
  readonly #lines: FormerLines | null;
  readonly #signal: AbortSignal;
  #fileCount = 0;
  #totalBytes = 0;
  #linkedCount = 0;

  constructor(files: string, manifest: ManifestWriter, lines: FormerLines | null, signal: AbortSignal) {
    this.#files = files;
    this.#manifest = manifest;
    this.#lines = lines;
    this.#signal = signal;
  }

  add(each: Planned): void | Promise<void> {
    const { type } = each.entry;
    if (each.action !== 'keep' || type === 'directory') return this.#describe(each);
    if (type === 'file') this.#linkedCount += 1;
    if (each.line < 0) return this.#describe(each);
    const line = each.text ?? this.#lines?.at(each.line, each.path);
    return line === undefined ? this.#copy(each) : this.#keep(each, line);
  }

  summary(sha256: string): ManifestSummary {
    return {
      sha256,
      fileCount: this.#fileCount,
      totalBytes: this.#totalBytes,
      linkedCount: this.#linkedCount,
    };
  }

  async #copy(each: Planned): Promise<void> {
    const line = await this.#lines?.reach(each.line, each.path);
    await (line === undefined ? this.#describe(each) : this.#keep(each, line));
  }

  #keep({ entry }: Planned, line: ByteString): void | Promise<void> {
    this.#count(entry.size);
    return this.#manifest.addLine(line);
  }

  #describe(each: Planned): void | Promise<void> {
    const place = pathBelow(this.#files, each.path);
    const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (!stat) throw missing(each);
    const entry = entryOf(each.path, stat);
    if (entry.type !== each.entry.type) throw missing(each);
    if (entry.type !== 'directory') this.#count(entry.size);
    if (entry.type === 'symlink') {
      return this.#manifest.add({
        ...entry,
        target: bytesOfBuffer(readlinkSync(place, { encoding: 'buffer' })),
      });
    }
    if (entry.type !== 'file') return this.#manifest.add(entry);
    const sha256 = each.leader ? each.leader.sha256 : each.sha256;
    if (sha256 !== undefined) return this.#manifest.add(entry, sha256);
    return this.#hash(place, entry);
  }

  /** Rare: another name of an unchanged file, or a previous manifest that vanished in the meantime. */
  async #hash(place: Buffer, entry: ManifestEntry): Promise<void> {
    const sha256 = await hashFile(place, entry.size, undefined, this.#signal);
    await this.#manifest.add(entry, sha256);
  }

  #count(size: number): void {
    this.#fileCount += 1;
    this.#totalBytes += size;
  }
}

const missing = ({ path }: Planned): DomainError =>
  new DomainError('backup_failed', `${shownPath(path)} was not written correctly to the backup store.`);
