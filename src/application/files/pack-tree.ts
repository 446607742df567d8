import { type ErrorCode, isDomainError } from '../../domain/base/errors.ts';
import type { DeniedNames } from '../../domain/files/denied-names.ts';
import { JailPath } from '../../domain/files/jail-path.ts';
import { type ShownName, shownName } from '../../domain/files/shown-name.ts';
import type { ArchiveEntry } from '../ports/files/archiver.ts';
import type { JailFs, Tree, TreeEntry } from '../ports/files/jail-fs.ts';
import { MAX_READ } from './read-part.ts';

export interface PackInput {
  readonly fs: JailFs;
  readonly denied: DeniedNames;
  /** The directory. */
  readonly path: JailPath;
  /** Its contents. */
  readonly tree: Tree;
  /** The largest file that is taken, in bytes. */
  readonly mostBytes: number;
}

/** Why a single file is left out; anything else ends the whole. */
const LEFT_OUT: ReadonlySet<ErrorCode> = new Set([
  'path_refused',
  'file_not_found',
  'not_a_file',
  'file_too_large',
  'host_permission_denied',
]);
/** More entries are only counted. */
const MAX_REPORTED = 1_000;
const REPORT = 'left-out-by-drover.txt';

/**
 * The entries of an archive, one after another. Every file is opened by its path in the file root when its turn
 * comes, like any single file: one that was swapped in the meantime is refused, and omitted. A file at the end lists
 * omissions.
 */
export async function* packTree(packed: PackInput, signal: AbortSignal): AsyncGenerator<ArchiveEntry> {
  const leftOut: string[] = [];
  for (const entry of packed.tree.entries) {
    signal.throwIfAborted();
    const made = await entryOf(packed, entry, leftOut);
    if (made !== null) yield made;
  }
  if (leftOut.length > 0) yield report(leftOut);
}

async function entryOf(packed: PackInput, entry: TreeEntry, leftOut: string[]): Promise<ArchiveEntry | null> {
  const { names, kind, mode, modifiedAt, target } = entry;
  const { text: path, escaped } = shownPath(names);
  const leave = (why: string): null => {
    leftOut.push(`${path}: ${why}`);
    return null;
  };
  if (isDenied(names, packed.denied)) return leave('denied to file tools');
  const facts = { path, mode: mode & 0o777, modifiedAt };
  if (kind === 'dir') return { ...facts, kind, content: once() };
  if (kind === 'link')
    return target ? { ...facts, kind, content: once(target) } : leave('a link that was removed');
  if (kind === 'other') return leave('a FIFO, a socket or a device');
  if (escaped) return leave('a name that file tools cannot represent');
  try {
    return { ...facts, kind, content: await contentOf(packed, path) };
  } catch (error) {
    if (isDomainError(error) && LEFT_OUT.has(error.code)) return leave(error.message);
    throw error;
  }
}

/** Small files are read in groups, which is faster over a connection. */
async function contentOf(
  { fs, path, mostBytes }: PackInput,
  relative: string,
): Promise<AsyncIterable<Uint8Array>> {
  const file = JailPath.parse(path.isRoot ? relative : `${String(path)}/${relative}`);
  const { bytes, size } = await fs.read(file, { offset: 0, length: MAX_READ });
  if (bytes.length === size) return once(bytes);
  return (await fs.readStream(file, mostBytes)).content as AsyncIterable<Uint8Array>;
}

function report(leftOut: readonly string[]): ArchiveEntry {
  const listed = leftOut.slice(0, MAX_REPORTED);
  const more = leftOut.length > listed.length ? [`and ${leftOut.length - listed.length} more`] : [];
  const text = ['These were left out of the archive:', '', ...listed, ...more, ''].join('\n');
  return {
    path: REPORT,
    kind: 'file',
    mode: 0o644,
    modifiedAt: 0,
    content: once(new TextEncoder().encode(text)),
  };
}

async function* once(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** A path below a directory for display; `escaped` if no `JailPath` can express it. */
export function shownPath(names: readonly Uint8Array[]): ShownName {
  const shown = names.map(shownName);
  return { text: shown.map(({ text }) => text).join('/'), escaped: shown.some(({ escaped }) => escaped) };
}

/** Entries with denied names, for display; their contents are not listed separately. */
export const deniedIn = (entries: readonly TreeEntry[], denied: DeniedNames): readonly string[] =>
  entries.filter(({ names }) => isDenied(names.slice(-1), denied)).map(({ names }) => shownPath(names).text);

export const isDenied = (names: readonly Uint8Array[], denied: DeniedNames): boolean =>
  names.some((name) => {
    const { text, escaped } = shownName(name);
    return !escaped && denied.deny(JailPath.ROOT, text);
  });
