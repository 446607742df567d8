import { DUMP_DIRECTORY } from '../../../domain/backups/dump.ts';
import { DomainError, InvalidInput } from '../../../domain/base/errors.ts';
import { withoutEnd } from '../../../domain/base/without-end.ts';
import { type ByteString, bytesOfText, display } from './byte-string.ts';
import { isDirectory, type ManifestEntry } from './manifest-entry.ts';
import { readManifest } from './manifest-file.ts';
import type { SnapshotPlaces } from './store-layout.ts';

const MAX_SUBPATHS = 1_000;
const MAX_TOP_LEVEL = 100_000;

export interface Selection {
  /** What rsync sends, with all contents. */
  readonly paths: readonly ByteString[];
  /** Directories that must not be symbolic links at the target: rsync would replace the link. */
  readonly above: readonly ByteString[];
  readonly totalBytes: number;
  /** Directories included. */
  readonly entryCount: number;
  readonly contains: (entry: ManifestEntry) => boolean;
}

/**
 * Resolves the selection in a snapshot. Only paths of the manifest are used: a link in a snapshot may lead anywhere
 * on the service's machine, and no path of a manifest goes through one. Throws `invalid_input` for a subpath that the
 * snapshot does not have, `snapshot_damaged` if the manifest is not the recorded one (`manifestSha256`, hex).
 */
export async function select(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
  order: {
    readonly subpaths: readonly string[];
    readonly roots: readonly ByteString[];
    /** Whether everything means everything that came from files of the host. */
    readonly withoutDumps?: boolean;
  },
  signal: AbortSignal,
): Promise<Selection> {
  const wanted = wantedPaths(order.subpaths);
  const isWhole = wanted.size === 0;
  const ancestors = ancestorsOf(isWhole ? order.roots : [...wanted.keys()]);
  const found = new Set<ByteString>();
  const above: ByteString[] = [];
  const topLevel: ByteString[] = [];
  const isLeftOut = order.withoutDumps ? dumpsBeside(order.roots) : () => false;
  const contains = ({ path }: ManifestEntry): boolean =>
    isWhole ? !isLeftOut(path) : isAtOrBelow(path, wanted);
  let totalBytes = 0;
  let entryCount = 0;
  for await (const entry of readManifest(snapshot.manifest, manifestSha256)) {
    signal.throwIfAborted();
    if (wanted.has(entry.path)) found.add(entry.path);
    if (isDirectory(entry) && ancestors.has(entry.path)) above.push(entry.path);
    if (!contains(entry)) continue;
    totalBytes += entry.size;
    entryCount += 1;
    if (isWhole && !entry.path.includes('/')) topLevel.push(entry.path);
    if (topLevel.length > MAX_TOP_LEVEL) throw tooWide();
  }
  const unknown = [...wanted].filter(([path]) => !found.has(path));
  if (unknown.length > 0) {
    throw new InvalidInput(
      unknown.map(([path, index]) => ({
        path: `/subpaths/${index}`,
        message: `The snapshot has no "${display(path)}". Use paths as on the host, with symbolic links resolved.`,
      })),
    );
  }
  return { paths: isWhole ? topLevel : [...found], above, totalBytes, entryCount, contains };
}

/** Dumps are separate from the host's files, unless a source names a directory of that name itself. */
export function dumpsBeside(roots: readonly ByteString[]): (path: ByteString) => boolean {
  const isDump = (path: string): boolean => path === DUMP_DIRECTORY || path.startsWith(`${DUMP_DIRECTORY}/`);
  return roots.some((root) => isDump(root.slice(1))) ? () => false : isDump;
}

/** Input field by path. */
export function wantedPaths(subpaths: readonly string[]): ReadonlyMap<ByteString, number> {
  if (subpaths.length > MAX_SUBPATHS) {
    throw new InvalidInput([{ path: '/subpaths', message: `At most ${MAX_SUBPATHS} paths.` }]);
  }
  return new Map(
    subpaths.map(
      (subpath, index) => [bytesOfText(withoutEnd(subpath.replace(/^\/+/, ''), '/')), index] as const,
    ),
  );
}

export function isAtOrBelow(path: ByteString, wanted: ReadonlyMap<ByteString, number>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (wanted.has(path.slice(0, end) as ByteString)) return true;
  }
  return false;
}

/** The paths themselves and all directories above them, without leading slash. */
function ancestorsOf(paths: readonly ByteString[]): ReadonlySet<ByteString> {
  const all = new Set<ByteString>();
  for (const path of paths) {
    const relative = path.replace(/^\//, '') as ByteString;
    for (let end = relative.length; end > 0; end = relative.lastIndexOf('/', end - 1)) {
      all.add(relative.slice(0, end) as ByteString);
    }
  }
  return all;
}

const tooWide = (): DomainError =>
  new DomainError(
    'restore_failed',
    `The snapshot has more than ${MAX_TOP_LEVEL} entries at its top; select paths to restore it in parts.`,
  );

/**
 * The selected entries of the manifest, in its order; without devices if only root could create them, and without
 * sockets if nothing transfers them.
 */
export async function* selectedEntries(
  snapshot: SnapshotPlaces,
  manifestSha256: string,
  selection: Pick<Selection, 'contains'>,
  { isRoot, sockets }: { readonly isRoot: boolean; readonly sockets: boolean },
): AsyncGenerator<ManifestEntry> {
  for await (const entry of readManifest(snapshot.manifest, manifestSha256)) {
    if (!sockets && entry.type === 'socket') continue;
    if (selection.contains(entry) && (isRoot || entry.device === undefined)) yield entry;
  }
}
