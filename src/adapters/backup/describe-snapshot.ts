import { lstatSync, readlinkSync } from 'node:fs';
import { DomainError } from '../../domain/errors.ts';
import { bytesOfBuffer, compareWalkOrder } from './byte-string.ts';
import type { FormerSnapshot, Planned } from './comparison.ts';
import { hashFile } from './file-hash.ts';
import { pathBelow } from './file-tree.ts';
import { formerEntries } from './former-snapshot.ts';
import { HostStateWriter } from './host-state.ts';
import { entryOf, type ManifestEntry } from './manifest-entry.ts';
import { ManifestWriter } from './manifest-file.ts';
import type { SnapshotPlaces } from './store-layout.ts';
import { shownPath, unhurried } from './tree-clone.ts';

export interface ManifestSummary {
  readonly sha256: string;
  /** Everything but directories. */
  readonly fileCount: number;
  readonly totalBytes: number;
  /** Files that are one with those of the former snapshot. */
  readonly linkedCount: number;
}

/**
 * Writes the manifest of a finished tree, and beside it what its host told of each path. Lines of what did not change are
 * the former manifest's; what is new is looked at once more, without reading it.
 */
export async function describeSnapshot(
  snapshot: SnapshotPlaces,
  planned: readonly Planned[],
  former: FormerSnapshot | null,
  signal: AbortSignal,
): Promise<ManifestSummary> {
  const state = new HostStateWriter(snapshot);
  const manifest = await ManifestWriter.create(snapshot.manifest);
  const describer = new Describer(snapshot.files, manifest, state, signal);
  try {
    let at = 0;
    for await (const batch of former ? formerEntries(former.places, former.manifestSha256) : []) {
      signal.throwIfAborted();
      for (const { path, line } of batch) {
        for (let each = planned[at]; each; each = planned[at]) {
          const order = compareWalkOrder(each.path, path);
          if (order > 0) break;
          const pending = describer.add(each, order === 0 ? line : null);
          if (pending) await pending;
          at += 1;
          if (order === 0) break;
        }
      }
    }
    for await (const each of unhurried(planned.slice(at), signal)) await describer.add(each, null);
    const sha256 = await manifest.finish();
    await state.finish(sha256);
    return describer.summary(sha256);
  } catch (error) {
    await manifest.abandon();
    throw error;
  }
}

class Describer {
  readonly #files: string;
  readonly #manifest: ManifestWriter;
  readonly #state: HostStateWriter;
  readonly #signal: AbortSignal;
  #fileCount = 0;
  #totalBytes = 0;
  #linkedCount = 0;

  constructor(files: string, manifest: ManifestWriter, state: HostStateWriter, signal: AbortSignal) {
    this.#files = files;
    this.#manifest = manifest;
    this.#state = state;
    this.#signal = signal;
  }

  add(each: Planned, line: string | null): void | Promise<void> {
    if (each.action === 'gone') return;
    const { type, key, size } = each.entry;
    this.#state.add(key, each.isSure);
    const isKept = each.action === 'keep' && type !== 'directory';
    if (isKept && type === 'file') this.#linkedCount += 1;
    if (!isKept || line === null) return this.#describe(each);
    this.#count(size);
    return this.#manifest.addLine(line);
  }

  summary(sha256: string): ManifestSummary {
    return {
      sha256,
      fileCount: this.#fileCount,
      totalBytes: this.#totalBytes,
      linkedCount: this.#linkedCount,
    };
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
    if (sha256 !== undefined) return this.#manifest.add({ ...entry, sha256 });
    return this.#hash(place, entry);
  }

  /** Seldom: another name of a file that did not change, or a former manifest that went away meanwhile. */
  async #hash(place: Buffer, entry: ManifestEntry): Promise<void> {
    const sha256 = await hashFile(place, entry.size, undefined, this.#signal);
    await this.#manifest.add({ ...entry, sha256 });
  }

  #count(size: number): void {
    this.#fileCount += 1;
    this.#totalBytes += size;
  }
}

const missing = ({ path }: Planned): DomainError =>
  new DomainError(
    'backup_failed',
    `${shownPath(path)} was not written to the backup store as it should have been.`,
  );
