import { pipeline, Readable } from 'node:stream';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, closedPaths, display } from './byte-string.ts';
import type { ExcludeMatcher } from './exclude-matcher.ts';
import type { ListingDigest } from './listing-digest.ts';
import { ListingReader, MAX_ENTRIES, noListing, tooMany } from './listing-reader.ts';
import { type Surveyed, surveyedOf } from './surveyed.ts';
import { TreeOrder } from './tree-order.ts';

const MAX_COMPLAINT_BYTES = 64 * 1024;
const SILENCE_MS = 900_000;

/**
 * Prints for each path: its metadata, the path, and its link target, each terminated by a NUL. "$1": `printf` for a
 * find that prints metadata itself, `stat` for others; there the metadata comes for several paths at a time.
 */
const FACTS = '%y %m %U %G %s %T@ %C@ %i %D %n %b\\0%p\\0%l\\0';
const DESCRIBE = `
facts=$(stat -c "%f %u %g %s %Y %Z %i %d %h %b" -- "$@" 2>/dev/null) && several=yes || several=
[ -z "$several" ] || printf "%s\\0" "$facts"
for path do
  if [ -z "$several" ]; then
    facts=$(stat -c "%f %u %g %s %Y %Z %i %d %h %b" -- "$path" 2>/dev/null) || continue
    printf "%s\\0" "$facts"
  fi
  target=
  if [ -L "$path" ]; then target=$(readlink -n -- "$path"; echo x); target=\${target%?}; target=\${target%x}; fi
  printf "%s\\0%s\\0" "$path" "$target"
done`;
const CHOOSE_KIND = `
cd / || exit 43
kind=stat
find / -maxdepth 0 -printf '' 2>/dev/null && kind=printf
`;
const KIND = `${CHOOSE_KIND}
printf '%s\\0%s\\0' "$kind" "$(date +%s)"
`;
/**
 * "$1": DESCRIBE, "$2": the number of rules; then for each its kind and regular expression. On standard input a line
 * of the parent directories, quoted for printf, and then the paths. Parents come first, followed by an empty answer.
 */
const SURVEY = `
IFS= read -r above
printf %b "$above" | xargs -0 sh -c '
kind=$1 describe=$2
shift 2
[ "$#" -gt 0 ] || exit 0
[ "$kind" = stat ] || exec find "$@" -maxdepth 0 -printf "${FACTS}" 2>/dev/null
exec sh -c "$describe" drover "$@"' drover "$kind" "$1"
printf "\\0"
exec xargs -0 sh -c '
kind=$1 describe=$2 rules=$3
shift 3
first=
if [ "$rules" -gt 0 ]; then
  total=$rules
  until [ "$rules" = 0 ]; do
    what=$1 regex=$2
    shift 2
    if [ "$rules" = "$total" ]; then
      [ "$kind" = stat ] || set -- "$@" -regextype posix-basic
      set -- "$@" "("
    fi
    [ "$what" = all ] || set -- "$@" $first -type d
    [ "$what" = directories ] || set -- "$@" $first
    set -- "$@" -regex "$regex"
    first=-o
    rules=$((rules - 1))
  done
  set -- "$@" ")" -prune -o
fi
[ "$kind" = stat ] || exec find "$@" -printf "${FACTS}"
exec find "$@" -exec sh -c "$describe" drover {} +' drover "$kind" "$@"
`;
/** The SHA-256 of that answer, from the empty one on. */
const DIGEST = `${CHOOSE_KIND}
{ ${SURVEY}} 2>/dev/null | sha256sum
`;
/** The same of the paths on standard input alone; those that are not there are left out. */
const LOOK = `${KIND}
xargs -0 sh -c '
kind=$1 describe=$2
shift 2
[ "$kind" = stat ] || exec find "$@" -maxdepth 0 -printf "${FACTS}" 2>/dev/null
exec sh -c "$describe" drover "$@"' drover "$kind" "$1"
code=$?
[ "$code" = 123 ] || exit "$code"
`;

export interface HostListing {
  /** In walk order, each path once. */
  readonly entries: readonly Surveyed[];
  /** The host's clock at the start, seconds since the Unix epoch. */
  readonly startedAt: number;
  /** Paths went while they were listed. */
  readonly vanishedCount: number;
}

/**
 * Lists everything below some paths, except exclusions. Throws `backup_failed` for unreadable entries and for an
 * invalid listing.
 */
export async function surveyHost(
  host: RemoteHost,
  roots: readonly ByteString[],
  excludes: ExcludeMatcher,
  signal: AbortSignal,
  {
    maxEntries = MAX_ENTRIES,
    digest,
  }: { readonly maxEntries?: number; readonly digest?: ListingDigest } = {},
): Promise<HostListing> {
  const above = ancestorsOf(roots);
  const mayBe = (path: ByteString, isAbove: boolean): boolean =>
    isAbove ? above.has(path) : roots.some((root) => isBelow(path, root));
  const order = new TreeOrder();
  const { args, stdin } = askedOf(roots, excludes, above);
  const listed = await list(
    host,
    { script: `${KIND}${SURVEY}`, args },
    stdin,
    signal,
    { hasAbove: true, digest },
    (facts, path, target, isAbove) => {
      const entry = claimed(facts, path, target);
      if (!mayBe(entry.path, isAbove))
        throw noListing(`it names "/${display(entry.path)}", which was not requested`);
      order.add(entry, isAbove);
      if (order.count > maxEntries) throw tooMany();
    },
  );
  const entries = await order.entries(excludes.rules.length > 0 ? excludes : null, (path) =>
    noListing(`"/${display(path)}" is no directory, and has something in it`),
  );
  return { ...listed, entries };
}

/** The `ListingDigest` of what `surveyHost` would list now; `null` if the host does not report it. */
export async function digestOfHost(
  host: RemoteHost,
  roots: readonly ByteString[],
  excludes: ExcludeMatcher,
  signal: AbortSignal,
): Promise<string | null> {
  const { args, stdin } = askedOf(roots, excludes, new Set());
  const command = { script: DIGEST, args, stdin: Buffer.concat(stdin), asRoot: true };
  const { stdout } = await host.run(command, { timeoutMs: SILENCE_MS, signal });
  return /^[0-9a-f]{64}/.exec(stdout.toString('latin1'))?.[0] ?? null;
}

/** The arguments and the input of SURVEY. */
function askedOf(
  roots: readonly ByteString[],
  { rules }: ExcludeMatcher,
  above: ReadonlySet<ByteString>,
): { readonly args: readonly string[]; readonly stdin: Buffer[] } {
  const kinds = rules.flatMap(({ regex, directoriesOnly }) => [
    directoriesOnly ? 'directories' : 'all',
    regex,
  ]);
  return {
    args: [DESCRIBE, String(rules.length), ...kinds],
    stdin: [Buffer.from(`${quotedPaths(above)}\n`), ...closedPaths(roots)],
  };
}

/**
 * Returns the current metadata of single paths (absolute), in their order; missing ones are omitted. The answers are
 * not checked.
 */
export async function look(
  host: RemoteHost,
  paths: Iterable<Buffer>,
  signal: AbortSignal,
  take: (facts: string, path: string, target: string) => void,
): Promise<void> {
  await list(host, { script: LOOK, args: [DESCRIBE] }, paths, signal, { hasAbove: false }, take);
}

/** Throws `backup_failed` for an invalid path. */
export function claimed(facts: string, path: string, target: string): Surveyed {
  const entry = surveyedOf(facts, path, target);
  if (entry) return entry;
  throw noListing(`it says of "${display(path.slice(0, 300) as ByteString)}" what cannot be`);
}

export const isBelow = (path: ByteString, root: ByteString): boolean =>
  path.startsWith(root.slice(1)) &&
  (root === '/' || path.length === root.length - 1 || path[root.length - 1] === '/');

/** NUL-separated names as input for `printf %b`. */
const quotedPaths = (paths: ReadonlySet<ByteString>): string =>
  [...paths]
    .map((path) => `/${path}\0`)
    .join('')
    .replace(/[^A-Za-z0-9/._-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);

async function list(
  host: RemoteHost,
  command: { readonly script: string; readonly args: readonly string[] },
  stdin: Iterable<Buffer>,
  signal: AbortSignal,
  { hasAbove, digest }: { readonly hasAbove: boolean; readonly digest?: ListingDigest | undefined },
  take: (facts: string, path: string, target: string, isAbove: boolean) => void,
): Promise<Pick<HostListing, 'startedAt' | 'vanishedCount'>> {
  const process = await host.open({ ...command, asRoot: true }, { signal });
  const timer = setInterval(() => {
    if (performance.now() - reader.heardAt > SILENCE_MS) process.kill();
  }, 1_000);
  const stop = (): void => void process.stdout.destroy();
  const reader = new ListingReader(hasAbove, take);
  const complaints: string[] = [];
  let complained = 0;
  process.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.length;
    if (complained < MAX_COMPLAINT_BYTES) complaints.push(chunk.toString('latin1'));
  });
  try {
    signal.addEventListener('abort', stop, { once: true });
    process.exit.catch(() => undefined);
    // how the command ended says more
    process.stdin.on('error', () => undefined);
    pipeline(Readable.from(stdin), process.stdin, () => undefined);
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      reader.take(chunk);
      digest?.take(chunk);
    }
    const { exitCode } = await process.exit;
    signal.throwIfAborted();
    const vanishedCount = judge(complaints.join(''), exitCode);
    return { startedAt: reader.finish(), vanishedCount };
  } catch (error) {
    process.kill();
    signal.throwIfAborted();
    // how the connection ended says more than that something was cut
    await process.exit;
    throw error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    process.kill();
  }
}

/** Counts entries that vanished in the meantime; find's other messages mean unreadable ones. */
function judge(said: string, exitCode: number | null): number {
  const lines = said.split('\n').filter((line) => line !== '');
  if (exitCode === 0) return 0;
  if (exitCode === 127 || exitCode === 126) {
    throw new DomainError(
      'host_tool_missing',
      `find, xargs or stat is not installed on the host (${shown(lines.at(-1))}).`,
    );
  }
  const faults = lines.filter((line) => !line.endsWith(': No such file or directory'));
  if (faults.length === 0 && lines.length > 0 && exitCode !== null) return lines.length;
  throw new DomainError(
    'backup_failed',
    `Some files could not be listed, so no snapshot was created: ${shown(faults[0]) || `find ended with ${exitCode ?? 'a signal'}`}. Let Drover log in as root or use sudo, or exclude these files.`,
  );
}

const shown = (line: string | undefined): string => display((line ?? '').slice(0, 400) as ByteString);

/** The directories above some paths, without the leading slash. */
function ancestorsOf(roots: readonly ByteString[]): ReadonlySet<ByteString> {
  const all = new Set<ByteString>();
  for (const root of roots) {
    for (let end = root.lastIndexOf('/'); end > 0; end = root.lastIndexOf('/', end - 1)) {
      all.add(root.slice(1, end) as ByteString);
    }
  }
  return all;
}

/** The longest path that Linux takes, in bytes, without the closing NUL. */
const MAX_PATH = 4_095;
/** How much longer a file's path in the store gets when its snapshot is published, at the most. */
const RENAME_BYTES = 'snapshots/20261120T051900.123Z-9999'.length - 'partial'.length;

/** Throws `backup_failed` for a path that could not be named in the store. */
export function assertPathsFit({ entries }: Pick<HostListing, 'entries'>, files: string): void {
  const most = MAX_PATH - RENAME_BYTES - Buffer.byteLength(files) - 1;
  const long = entries.find(({ path }) => path.length > most);
  if (!long) return;
  throw new DomainError(
    'backup_failed',
    `The path "/${display(long.path).slice(0, 300)}…" of ${long.path.length} bytes is too long for the backup store: exclude it, or move it to a shorter path on the host.`,
  );
}
