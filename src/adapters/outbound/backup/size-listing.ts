import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, toBuffer } from './byte-string.ts';
import type { ExcludeRule } from './exclude-matcher.ts';
import type { Listed } from './exclusion-tally.ts';
import { relativePath } from './surveyed.ts';

/** A user waits for a preview. */
export interface ListingLimits {
  readonly ms: number;
  readonly paths: number;
}

/** Longer than any path, and than the facts of all paths of one command of the host. */
const MAX_TOKEN = 4 * 1024 * 1024;
const MAX_COMPLAINT_BYTES = 64 * 1024;

/**
 * Prints type and size of one path or several, a line each, then these paths; all closed by NULs. "$1": how many rules,
 * then for each its kind and regular expression: these are not listed. Paths come on standard input.
 */
export const LIST_SIZES = `
cd / || exit 43
kind=stat
find / -maxdepth 0 -printf '' 2>/dev/null && kind=printf
exec xargs -0 sh -c '
kind=$1 rules=$2
shift 2
total=$rules first=
until [ "$rules" = 0 ]; do
  what=$1 regex=$2
  shift 2
  if [ "$rules" = "$total" ]; then
    [ "$kind" = stat ] || set -- "$@" -regextype posix-basic
    set -- "$@" "("
  fi
  set -- "$@" $first
  [ "$what" = all ] || set -- "$@" -type d
  set -- "$@" -regex "$regex"
  first=-o
  rules=$((rules - 1))
done
[ "$total" = 0 ] || set -- "$@" ")" -prune -o
[ "$kind" = stat ] || exec find "$@" -printf "%y %s\\0%p\\0"
exec find "$@" -exec sh -c "
facts=\\$(stat -c \\"%f %s\\" -- \\"\\$@\\" 2>/dev/null) && { printf \\"%s\\\\0\\" \\"\\$facts\\" \\"\\$@\\"; exit; }
for path do
  facts=\\$(stat -c \\"%f %s\\" -- \\"\\$path\\" 2>/dev/null) && printf \\"%s\\\\0\\" \\"\\$facts\\" \\"\\$path\\"
done" drover {} +' drover "$kind" "$@"
`;

/**
 * Passes everything below some paths to `take`, a directory right before its contents, until a limit is reached.
 * Excludes only what `rules` name. Returns how many entries could not be read.
 */
export async function listSizes(
  host: RemoteHost,
  roots: readonly ByteString[],
  rules: readonly ExcludeRule[],
  limits: ListingLimits,
  take: (entry: Listed) => void,
  signal: AbortSignal,
): Promise<{ readonly unreadable: number; readonly isComplete: boolean }> {
  signal.throwIfAborted();
  const flags = rules.flatMap(({ regex, directoriesOnly }) => [
    directoriesOnly ? 'directories' : 'all',
    regex,
  ]);
  const command = { script: LIST_SIZES, args: [String(rules.length), ...flags], asRoot: true };
  const bound = new AbortController();
  const timer = setTimeout(() => bound.abort(), limits.ms);
  const process = await host.open(command, { signal });
  const stop = (): void => void process.stdout.destroy();
  const complaints: string[] = [];
  let complained = 0;
  let paths = 0;
  let stoppedAtLimit = false;
  try {
    process.exit.catch(() => undefined);
    process.stdin.on('error', () => undefined);
    process.stderr.on('data', (chunk: Buffer) => {
      complained += chunk.length;
      if (complained < MAX_COMPLAINT_BYTES) complaints.push(chunk.toString('latin1'));
    });
    for (const ended of [signal, bound.signal]) ended.addEventListener('abort', stop, { once: true });
    process.stdin.end(Buffer.concat(roots.flatMap((path) => [toBuffer(path), Buffer.alloc(1)])));
    const reader = new SizeReader();
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      for (const entry of reader.take(chunk)) {
        paths += 1;
        if (paths > limits.paths) stoppedAtLimit = true;
        else take(entry);
      }
      if (stoppedAtLimit || bound.signal.aborted) break;
    }
    signal.throwIfAborted();
    if (stoppedAtLimit || bound.signal.aborted)
      return { unreadable: unreadIn(complaints), isComplete: false };
    const { exitCode } = await process.exit;
    if (!reader.isAtEnd) throw noListing();
    refuseByCode(exitCode, paths);
    return { unreadable: unreadIn(complaints), isComplete: true };
  } catch (error) {
    signal.throwIfAborted();
    if (bound.signal.aborted) return { unreadable: unreadIn(complaints), isComplete: false };
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    process.kill();
  }
}

function refuseByCode(exitCode: number | null, paths: number): void {
  if (exitCode === 126 || exitCode === 127) {
    throw new DomainError('host_tool_missing', 'find, xargs or stat is not installed on the host.');
  }
  if (paths === 0) throw new DomainError('host_command_failed', 'The host listed nothing at all.');
}

/** Entries that vanished in the meantime are no fault. */
const unreadIn = (complaints: readonly string[]): number =>
  complaints
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(': No such file or directory')).length;

const noListing = (): DomainError =>
  new DomainError('host_command_failed', "The host's file listing cannot be read.");

/** Takes the answer apart while it comes. */
class SizeReader {
  #rest = '';
  #facts: string[] = [];

  get isAtEnd(): boolean {
    return this.#rest === '' && this.#facts.length === 0;
  }

  *take(chunk: Buffer): Generator<Listed> {
    const tokens = `${this.#rest}${chunk.toString('latin1')}`.split('\0');
    this.#rest = tokens.pop() ?? '';
    if (this.#rest.length > MAX_TOKEN) throw noListing();
    for (const token of tokens) {
      const facts = this.#facts.pop();
      if (facts === undefined) this.#facts = token.split('\n').toReversed();
      else yield listedOf(facts, token);
    }
  }
}

const SIZE = /^([a-zA-Z?]|[\da-f]{1,8}) (\d{1,16})$/;

function listedOf(facts: string, name: string): Listed {
  const [, type = '', size = ''] = SIZE.exec(facts) ?? [];
  const path = relativePath(name);
  if (type === '' || path === null || !Number.isSafeInteger(Number(size))) throw noListing();
  // one letter of find's, or the raw mode that stat prints
  const kind = type.length === 1 ? type : KINDS[Number.parseInt(type, 16) >> 12];
  return { path, isDirectory: kind === 'd', size: kind === 'f' ? Number(size) : 0 };
}

const KINDS: Readonly<Record<number, string>> = { 4: 'd', 8: 'f' };
