import type { RemoteHost } from '../../application/ports/remote-host.ts';
import { DomainError } from '../../domain/errors.ts';
import { type ByteString, compareWalkOrder, display, toBuffer } from './byte-string.ts';
import type { ExcludeMatcher } from './exclude-matcher.ts';
import { printedFacts, type Surveyed, surveyedOf } from './surveyed.ts';

/** What a host lists is held in memory: some 300 bytes a path. */
const MAX_ENTRIES = 4_000_000;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_COMPLAINT_BYTES = 64 * 1024;
const SILENCE_MS = 900_000;

/**
 * Prints for each path: its facts, the path, and where it points, each closed by a NUL. "$1": `printf` for a find that
 * prints facts itself, `stat` for others; there the facts come for several paths at once.
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
const KIND = `
cd / || exit 43
kind=stat
find / -maxdepth 0 -printf '' 2>/dev/null && kind=printf
printf '%s\\0%s\\0' "$kind" "$(date +%s)"
`;
/** "$1": DESCRIBE, "$2": how many rules; then for each its kind and regular expression. Paths come on standard input. */
const SURVEY = `${KIND}
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
  /** The host's clock when it began, seconds since the Unix epoch. */
  readonly startedAt: number;
  /** Paths went while they were listed. */
  readonly vanishedCount: number;
}

/** Lists all below some paths, what is left out excepted. Throws `backup_failed` for what cannot be read, or is no listing. */
export async function surveyHost(
  host: RemoteHost,
  roots: readonly ByteString[],
  excludes: ExcludeMatcher,
  signal: AbortSignal,
): Promise<HostListing> {
  const rules = excludes.rules.flatMap(({ regex, directoriesOnly }) => [
    directoriesOnly ? 'directories' : 'all',
    regex,
  ]);
  const args = [DESCRIBE, String(excludes.rules.length), ...rules];
  const [below, above] = await Promise.all([
    list(host, { script: SURVEY, args }, roots, signal),
    look(host, ancestorsOf(roots), signal),
  ]);
  const isBelow = belowOneOf(roots);
  for (const { path } of below.entries)
    if (!isBelow(path)) throw noListing(`it names "/${display(path)}", which was not asked for`);
  const entries = sorted([...above.entries, ...withoutExcluded(sorted(below.entries), excludes)]);
  assertTree(entries);
  return { ...below, entries };
}

/** What single paths (absolute) are now; those that are not there are left out. */
export function look(
  host: RemoteHost,
  paths: readonly ByteString[],
  signal: AbortSignal,
): Promise<HostListing> {
  if (paths.length === 0) return Promise.resolve({ entries: [], startedAt: 0, vanishedCount: 0 });
  return list(host, { script: LOOK, args: [DESCRIBE] }, paths, signal);
}

async function list(
  host: RemoteHost,
  command: { readonly script: string; readonly args: readonly string[] },
  paths: readonly ByteString[],
  signal: AbortSignal,
): Promise<HostListing> {
  const process = await host.open({ ...command, asRoot: true }, { signal });
  const timer = setInterval(() => {
    if (performance.now() - reader.heardAt > SILENCE_MS) process.kill();
  }, 1_000);
  const stop = (): void => void process.stdout.destroy();
  const reader = new ListingReader();
  const complaints: string[] = [];
  let complained = 0;
  process.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.length;
    if (complained < MAX_COMPLAINT_BYTES) complaints.push(chunk.toString('latin1'));
  });
  try {
    signal.addEventListener('abort', stop, { once: true });
    process.exit.catch(() => undefined);
    process.stdin.on('error', () => undefined);
    process.stdin.end(Buffer.concat(paths.flatMap((path) => [toBuffer(path), Buffer.alloc(1)])));
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) reader.take(chunk);
    const { exitCode } = await process.exit;
    signal.throwIfAborted();
    const vanishedCount = judge(complaints.join(''), exitCode);
    return { ...reader.finish(), vanishedCount };
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

/** Counts what went meanwhile; anything else that find complains of could not be read. */
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
    `Some files could not be listed, so no snapshot was made: ${shown(faults[0]) || `find ended with ${exitCode ?? 'a signal'}`}. Let the service log in as root or through sudo, or exclude these files.`,
  );
}

const shown = (line: string | undefined): string => display((line ?? '').slice(0, 400) as ByteString);

const noListing = (why: string): DomainError =>
  new DomainError('backup_failed', `What the host lists is no listing of the source: ${why}.`);

/** Takes the answer apart while it comes. */
class ListingReader {
  heardAt = performance.now();
  readonly #entries: Surveyed[] = [];
  #rest = '';
  #bytes = 0;
  #kind: string | undefined;
  #startedAt: number | undefined;
  #facts: string[] = [];
  #fields: string[] = [];

  take(chunk: Buffer): void {
    this.heardAt = performance.now();
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) throw tooMany();
    const tokens = `${this.#rest}${chunk.toString('latin1')}`.split('\0');
    this.#rest = tokens.pop() ?? '';
    if (this.#rest.length > MAX_COMPLAINT_BYTES * 64) throw noListing('it has a name without end');
    for (const token of tokens) this.#token(token);
  }

  finish(): Pick<HostListing, 'entries' | 'startedAt'> {
    if (
      this.#rest !== '' ||
      this.#facts.length > 0 ||
      this.#fields.length > 0 ||
      this.#startedAt === undefined
    ) {
      throw noListing('it breaks off');
    }
    return { entries: this.#entries, startedAt: this.#startedAt };
  }

  #token(token: string): void {
    if (this.#kind === undefined) this.#kind = token;
    else if (this.#startedAt === undefined) this.#startedAt = clock(token);
    else if (this.#facts.length === 0) this.#facts = this.#factsFrom(token);
    else {
      this.#fields.push(token);
      if (this.#fields.length === 2) this.#add();
    }
  }

  #factsFrom(token: string): string[] {
    return this.#kind === 'printf' ? [token] : token.split('\n').map(printedFacts).toReversed();
  }

  #add(): void {
    const [path = '', target = ''] = this.#fields;
    const entry = surveyedOf(this.#facts.pop() ?? '', path, target);
    if (!entry) throw noListing(`it says of "${display(path.slice(0, 300) as ByteString)}" what cannot be`);
    this.#fields = [];
    this.#entries.push(entry);
    if (this.#entries.length > MAX_ENTRIES) throw tooMany();
  }
}

function clock(token: string): number {
  if (!/^\d{1,12}$/.test(token)) throw noListing('it does not begin with the time');
  return Number(token);
}

const tooMany = (): DomainError =>
  new DomainError(
    'backup_failed',
    `The source has more than ${MAX_ENTRIES} files: make several sources of it, or back it up with restic.`,
  );

/** Each path once, also where one of the source's paths is below another. */
function sorted(entries: readonly Surveyed[]): readonly Surveyed[] {
  const all = entries.filter(({ path }) => path !== '').sort((a, b) => compareWalkOrder(a.path, b.path));
  return all.filter((entry, index) => entry.path !== all[index - 1]?.path);
}

function withoutExcluded(
  entries: readonly Surveyed[],
  { rules, excludes }: ExcludeMatcher,
): readonly Surveyed[] {
  if (rules.length === 0) return entries;
  let below: string | null = null;
  return entries.filter(({ path, type }) => {
    if (below !== null && path.startsWith(below)) return false;
    below = null;
    if (!excludes(path, type === 'directory')) return true;
    below = `${path}/`;
    return false;
  });
}

/** Every path must be in a directory: what is listed below a link would be written through it. */
function assertTree(entries: readonly Surveyed[]): void {
  const open: string[] = [''];
  for (const { path, type } of entries) {
    while (!path.startsWith(open.at(-1) ?? '')) open.pop();
    if (path.slice(open.at(-1)?.length ?? 0).includes('/')) {
      throw noListing(`"/${display(path)}" is in no directory`);
    }
    if (type === 'directory') open.push(`${path}/`);
  }
}

function belowOneOf(roots: readonly ByteString[]): (path: ByteString) => boolean {
  const all = roots.map((root) => root.slice(1));
  return (path) => all.some((root) => root === '' || path === root || path.startsWith(`${root}/`));
}

/** The directories above some paths, as absolute paths. */
function ancestorsOf(roots: readonly ByteString[]): readonly ByteString[] {
  const all = new Set<ByteString>();
  for (const root of roots) {
    for (let end = root.lastIndexOf('/'); end > 0; end = root.lastIndexOf('/', end - 1)) {
      all.add(root.slice(0, end) as ByteString);
    }
  }
  return [...all];
}
