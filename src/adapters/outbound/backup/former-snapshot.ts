import { createHash } from 'node:crypto';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, bytesOfBuffer, bytesOfText, toBuffer } from './byte-string.ts';
import { hostStateLines } from './host-state.ts';
import { chunksOf, linesOf } from './line-file.ts';
import { decodeEntry, type ManifestEntry } from './manifest-entry.ts';
import type { SnapshotPlaces } from './store-layout.ts';

/** The snapshot that a backup builds on. */
export interface FormerSnapshot {
  readonly name: string;
  readonly places: SnapshotPlaces;
  readonly manifestSha256: string;
  /** Whether the manifest is the recorded one. Its check runs while the host is asked. */
  readonly isRecorded: Promise<boolean>;
  readonly attributes: boolean;
}

/** A path of the snapshot that a backup builds on. */
export interface FormerEntry {
  readonly path: ByteString;
  /** The bytes of its line of the manifest, and which line that is. */
  readonly line: ByteString;
  readonly number: number;
  /** The host's metadata; `null` for a snapshot of a version that did not keep it. */
  readonly key: string | null;
}

/**
 * The entries of a snapshot that a backup builds on, in walk order. A manifest that differs from the recorded one
 * returns none. Lines are passed on unparsed: parsing costs more than comparing.
 */
export async function* formerEntries(
  former: FormerSnapshot | null,
): AsyncGenerator<readonly FormerEntry[], undefined, undefined> {
  if (!former || !(await former.isRecorded)) return;
  const { places, manifestSha256 } = former;
  const states = hostStateLines(places, manifestSha256);
  let number = 0;
  let keys: readonly string[] | null = [];
  let at = 0;
  try {
    for await (const lines of linesOf(places.manifest)) {
      const batch: FormerEntry[] = [];
      for (const line of lines) {
        if (keys !== null && at === keys.length) {
          const next: IteratorResult<readonly string[]> = await states.next();
          keys = next.done ? null : next.value;
          at = 0;
        }
        batch.push({ path: pathOf(line), line, number, key: keys?.[at] ?? null });
        at += 1;
        number += 1;
      }
      yield batch;
    }
  } finally {
    await states.return(undefined);
  }
}

export const entryOfFormer = ({ line }: FormerEntry): ManifestEntry => decodeEntry(toBuffer(line).toString());

/** The lines of a manifest by their numbers, which must not go down. */
export class FormerLines {
  readonly #batches: AsyncGenerator<readonly ByteString[]>;
  #lines: readonly ByteString[] = [];
  #first = 0;

  constructor(snapshot: SnapshotPlaces) {
    this.#batches = linesOf(snapshot.manifest);
  }

  /** `undefined` if it has to be read first, or is not about this path. */
  at(number: number, path: ByteString): ByteString | undefined {
    const line = this.#lines[number - this.#first];
    return line !== undefined && pathOf(line) === path ? line : undefined;
  }

  /** `undefined` if there is none: the snapshot may have been removed in the meantime. */
  async reach(number: number, path: ByteString): Promise<ByteString | undefined> {
    while (number - this.#first >= this.#lines.length) {
      const next = await this.#batches.next().catch(() => null);
      if (!next || next.done) return undefined;
      this.#first += this.#lines.length;
      this.#lines = next.value;
    }
    return this.at(number, path);
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

const PLAIN = '{"path":"';

/** The manifest's sum has been checked, so that its lines are ours. */
function pathOf(line: ByteString): ByteString {
  const end = line.indexOf('"', PLAIN.length);
  const plain = line.slice(PLAIN.length, end) as ByteString;
  if (line.startsWith(PLAIN) && !plain.includes('\\')) return plain;
  const { path, pathBase64 } = JSON.parse(toBuffer(line).toString()) as {
    path?: string;
    pathBase64?: string;
  };
  if (path !== undefined) return bytesOfText(path);
  if (pathBase64 !== undefined) return bytesOfBuffer(Buffer.from(pathBase64, 'base64'));
  throw new DomainError('snapshot_damaged', 'A line of a manifest has no path.');
}

/** Never rejects: a manifest that cannot be read is not the recorded one. */
export async function isManifestRecorded(
  { manifest }: SnapshotPlaces,
  manifestSha256: string,
): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of chunksOf(manifest)) hash.update(chunk);
    return hash.digest('hex') === manifestSha256;
  } catch {
    return false;
  }
}
