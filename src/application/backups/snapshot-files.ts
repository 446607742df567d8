import type { Readable } from 'node:stream';
import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput, isDomainError } from '../../domain/base/errors.ts';
import { readableText } from '../../domain/base/visible-text.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { UseCase } from '../base/use-case.ts';
import { MAX_BROWSED } from '../ports/backups/snapshot-browser.ts';
import type { BrowseSnapshot, SnapshotDirectory, SnapshotEntry } from './browse-snapshot.ts';

/** Of a larger file, only the first part is shown. */
export const MAX_PREVIEW_BYTES = 64 * 1024;
/** As many folders below one are compared with it. */
const MAX_BELOW = 60;
/** As many files in one download. */
const MAX_PACKED = 100;

export interface FilePreview {
  readonly name: string;
  readonly size: number;
  /** `null`: it is not text. */
  readonly text: string | null;
  readonly isWhole: boolean;
}

/** An entry of a directory that differs between two snapshots; files by kind, size and time. */
export interface EntryDifference {
  readonly change: 'added' | 'removed' | 'changed';
  readonly entry: SnapshotEntry;
  /** As it was in the older snapshot. */
  readonly before: SnapshotEntry | null;
}

export interface DeepDifference extends EntryDifference {
  readonly place: string;
}

export interface DirectoryComparison {
  readonly path: JailPath;
  readonly differences: readonly EntryDifference[];
  /** Directories that both have. */
  readonly shared: readonly SnapshotEntry[];
  /** What differs in those, with paths from this one. */
  readonly below: readonly DeepDifference[];
  /** There were not too many to compare all of them. */
  readonly isWhole: boolean;
  /** Entries that both have and that are the same. */
  readonly same: number;
}

/** Shows, packs and compares files of snapshots, with the rights of `BrowseSnapshot`. */
export class SnapshotFiles extends UseCase<
  'archiver' | 'textDiff',
  { readonly browseSnapshot: Pick<BrowseSnapshot, 'list' | 'download'> }
> {
  /** The first part of a text file, without characters that act on a reader. Throws as `BrowseSnapshot.download`. */
  async preview(actor: Actor, id: number, p: string, signal: AbortSignal): Promise<FilePreview> {
    const { name, size, content } = await this.deps.browseSnapshot.download(actor, id, p, signal);
    const bytes = await beginningOf(content);
    const isWhole = bytes.length >= size;
    return { name, size, isWhole, text: textOf(bytes) };
  }

  /** These files of one directory as an archive. Throws `invalid_input` for none, too many or others than files. */
  async pack(
    actor: Actor,
    id: number,
    {
      p,
      names,
      signal,
    }: { readonly p: string; readonly names: readonly string[]; readonly signal: AbortSignal },
  ): Promise<{ readonly name: string; readonly content: Readable }> {
    const { snapshot, path, found } = await this.#all(actor, id, p, signal);
    const chosen = names.map((name) =>
      found.items.find(({ shown }) => !shown.escaped && shown.text === name),
    );
    const files = chosen.filter((entry) => entry?.kind === 'file' && !entry.denied) as SnapshotEntry[];
    if (names.length === 0 || names.length > MAX_PACKED || files.length < names.length) {
      const message = `Select 1 to ${MAX_PACKED} files that may be downloaded. Restore directories instead.`;
      throw new InvalidInput([{ path: '/ids', message }]);
    }
    const { browseSnapshot } = this.deps;
    const entries = async function* () {
      for (const { shown, modifiedAt } of files) {
        const place = String(path.child(shown.text));
        const { content } = await browseSnapshot.download(actor, id, place, signal);
        yield { path: shown.text, kind: 'file', mode: 0o644, modifiedAt, content } as const;
      }
    };
    const name = `${snapshot.sourceName}-${snapshot.id}.zip`;
    return { name, content: this.deps.archiver.zip(entries()) };
  }

  /**
   * One directory of two snapshots, `older` first, and what is below it. A directory that one of them lacks is empty
   * there.
   */
  async compare(actor: Actor, both: Both): Promise<DirectoryComparison> {
    const path = JailPath.parse(both.p);
    const here = await this.#level(actor, both);
    const below: DeepDifference[] = [];
    const next = foldersIn(here.shared, []);
    let looks = 0;
    for (; looks < MAX_BELOW && looks < next.length; looks += 1) {
      const names = next[looks] ?? [];
      const at = names.reduce((place, name) => place.child(name), path);
      const level = await this.#level(actor, { ...both, p: String(at) });
      below.push(
        ...level.differences.map((each) => ({ ...each, place: [...names, each.entry.shown.text].join('/') })),
      );
      next.push(...foldersIn(level.shared, names));
    }
    return { path, ...here, below, isWhole: looks === next.length };
  }

  async #level(
    actor: Actor,
    { older, newer, p, signal }: Both,
  ): Promise<Pick<DirectoryComparison, 'differences' | 'shared' | 'same'>> {
    const [before, after] = [
      await this.#entries(actor, older, p, signal),
      await this.#entries(actor, newer, p, signal),
    ];
    const differences: EntryDifference[] = [];
    const shared: SnapshotEntry[] = [];
    let same = 0;
    for (const [name, entry] of after) {
      const was = before.get(name) ?? null;
      if (was === null) differences.push({ change: 'added', entry, before: null });
      else if (was.kind === 'dir' && entry.kind === 'dir') shared.push(entry);
      else if (isSame(was, entry)) same += 1;
      else differences.push({ change: 'changed', entry, before: was });
    }
    for (const [name, was] of before) {
      if (!after.has(name)) differences.push({ change: 'removed', entry: was, before: was });
    }
    return { differences, shared, same };
  }

  /**
   * How a text file changed as a unified diff, `older` first; one that a snapshot lacks is empty there. `null` if one of them is
   * not text, too large, or of a kind or name that is never shown.
   */
  async diff(
    actor: Actor,
    { older, newer, p, signal }: { older: number; newer: number; p: string; signal: AbortSignal },
  ): Promise<string | null> {
    const before = await this.#text(actor, older, p, signal);
    const after = await this.#text(actor, newer, p, signal);
    return before === null || after === null ? null : this.deps.textDiff.between(before, after);
  }

  async #text(actor: Actor, id: number, p: string, signal: AbortSignal): Promise<string | null> {
    try {
      const { text, isWhole } = await this.preview(actor, id, p, signal);
      return isWhole ? text : null;
    } catch (error) {
      if (isDomainError(error, 'file_not_found')) return '';
      if (isDomainError(error, 'path_refused') || isDomainError(error, 'not_a_file')) return null;
      throw error;
    }
  }

  #all(actor: Actor, id: number, p: string, signal: AbortSignal): Promise<SnapshotDirectory> {
    return this.deps.browseSnapshot.list(actor, id, { p, signal, limit: MAX_BROWSED, offset: 0 });
  }

  async #entries(
    actor: Actor,
    id: number,
    p: string,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SnapshotEntry>> {
    const { found } = await this.#all(actor, id, p, signal).catch((error: unknown) => {
      if (isDomainError(error, 'file_not_found')) return { found: { items: [] } };
      throw error;
    });
    return new Map(found.items.map((entry) => [entry.shown.text, entry]));
  }
}

interface Both {
  readonly older: number;
  readonly newer: number;
  readonly p: string;
  readonly signal: AbortSignal;
}

/** Those that a path leads to. */
const foldersIn = (entries: readonly SnapshotEntry[], names: readonly string[]): (readonly string[])[] =>
  entries.filter(({ shown }) => !shown.escaped).map(({ shown }) => [...names, shown.text]);

const isSame = (a: SnapshotEntry, b: SnapshotEntry): boolean =>
  a.kind === b.kind && a.size === b.size && a.modifiedAt === b.modifiedAt;

async function beginningOf(content: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= MAX_PREVIEW_BYTES) break;
    }
  } finally {
    content.destroy();
  }
  return Buffer.concat(pieces).subarray(0, MAX_PREVIEW_BYTES);
}

/** The bytes as text, without characters that act on a reader; `null` if they are not text. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  return readableText(new TextDecoder().decode(bytes));
}
