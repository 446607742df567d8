import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { lastLine } from '../hosts/shell/host-lines.ts';
import { type ByteString, bytesOfBuffer, toBuffer } from './byte-string.ts';
import type { EntryType, ManifestEntry } from './manifest-entry.ts';

/** `stat`'s raw mode in hex and the size of each path on standard input; a "-" for a missing one. */
const FACTS = `
cd -- "$1" || exit 43
exec xargs -0 sh -c '
all=$(stat -c "%f %s" -- "$@" 2>/dev/null) && { printf "%s\\n" "$all"; exit 0; }
for path do stat -c "%f %s" -- "$path" 2>/dev/null || echo -; done
exit 0' drover
`;

/**
 * The SHA-256 of each path on standard input, a line each; a "-" for an unreadable one. sha256sum escapes some names,
 * or prints them over several lines: those files it gets without their names. "$2": `openssl` for large files, if the host
 * has it: it uses the processor's instructions for SHA-256, and takes a fifth of the time.
 */
const CONTENTS = `
cd -- "$1" || exit 43
exec xargs -0 sh -c '
break="
"
return=$(printf "\\r")
case "$*" in
*[\\\\"$break$return"]*) ;;
*)
  all=$([ "$0" = openssl ] && openssl dgst -sha256 -r -- "$@" 2>/dev/null) ||
  all=$(sha256sum -- "$@" 2>/dev/null) && { printf "%s\\n" "$all"; exit 0; } ;;
esac
for path do sha256sum <"$path" 2>/dev/null || echo -; done
exit 0' "$2"
`;

/** The target of each symbolic link on standard input, NUL-terminated. */
const TARGETS = `
cd -- "$1" || exit 43
exec xargs -0 sh -c 'for path do readlink -n -- "$path"; printf "\\0"; done' drover
`;

/** The seconds since the epoch, with nanoseconds where stat knows that. */
const CHANGE_TIMES = `
cd -- "$1" || exit 43
exec xargs -0 sh -c '
all=$(stat -c %.9Z -- "$@" 2>/dev/null) && { printf "%s\\n" "$all"; exit 0; }
for path do stat -c %.9Z -- "$path" 2>/dev/null || echo -; done' drover
`;

const BASE_TIMEOUT_MS = 10 * 60_000;
/** The slowest disk that a host may have. */
const BYTES_PER_MS = 2_000;
const MAX_OUTPUT = 8 * 1024 * 1024;
/** Less is hashed before openssl has started. */
const LARGE_BYTES = 16 * 1024 * 1024;

const PERMISSIONS = 0o7777;

const TYPE_BITS: Readonly<Record<string, EntryType>> = {
  '1': 'fifo',
  '2': 'character-device',
  '4': 'directory',
  '6': 'block-device',
  '8': 'file',
  a: 'symlink',
  c: 'socket',
};

type NamedEntry = Pick<ManifestEntry, 'path' | 'size'>;

const sizeOf = (entries: readonly NamedEntry[]): number => entries.reduce((sum, { size }) => sum + size, 0);

/** Compares entries of a manifest with the contents of a directory of a host: the fault of each, or `null`. */
export class TargetCheck {
  readonly #host: RemoteHost;
  readonly #directory: string;
  readonly #signal: AbortSignal;
  readonly #withModes: boolean;

  constructor(host: RemoteHost, directory: string, signal: AbortSignal, withModes = false) {
    this.#host = host;
    this.#directory = directory;
    this.#signal = signal;
    this.#withModes = withModes;
  }

  async faults(entries: readonly ManifestEntry[]): Promise<ReadonlyMap<ManifestEntry, string>> {
    const faults = new Map<ManifestEntry, string>();
    const note = (entry: ManifestEntry, fault: string | null): void => {
      if (fault !== null) faults.set(entry, fault);
    };
    const facts = await this.#lines(FACTS, entries);
    for (const [index, entry] of entries.entries())
      note(entry, factsFault(entry, facts[index], this.#withModes));
    const files = entries.filter((entry) => entry.sha256 !== undefined && !faults.has(entry));
    const contents = await this.contents(files);
    for (const [index, entry] of files.entries()) note(entry, contentFault(entry, contents[index] ?? null));
    const links = entries.filter((entry) => entry.target !== undefined && !faults.has(entry));
    const targets = await this.targets(links);
    for (const [index, entry] of links.entries()) {
      note(entry, targets[index] === entry.target ? null : 'points elsewhere');
    }
    return faults;
  }

  /** The SHA-256 of each, hex; `null` for an unreadable one. */
  async contents(files: readonly NamedEntry[]): Promise<readonly (string | null)[]> {
    const isLarge = sizeOf(files) >= LARGE_BYTES;
    const lines = await this.#lines(CONTENTS, files, isLarge ? 'openssl' : 'sha256sum');
    return lines.map((line) => /^[0-9a-f]{64}/.exec(line)?.[0] ?? null);
  }

  /** The target of each symbolic link; empty for others. */
  async targets(links: readonly ManifestEntry[]): Promise<readonly ByteString[]> {
    return (await this.#answers(TARGETS, links, '\0')) as readonly ByteString[];
  }

  /**
   * The last change of each (`ctime`), in nanoseconds since the Unix epoch; `null` if the host does not report it
   * that exactly.
   */
  async changeTimes(entries: readonly NamedEntry[]): Promise<readonly (bigint | null)[]> {
    const lines = await this.#lines(CHANGE_TIMES, entries);
    return lines.map((line) => (/^\d{1,12}\.\d{9}$/.test(line) ? BigInt(line.replace('.', '')) : null));
  }

  #lines(script: string, entries: readonly NamedEntry[], tool = ''): Promise<readonly string[]> {
    return this.#answers(script, entries, '\n', tool);
  }

  async #answers(
    script: string,
    entries: readonly NamedEntry[],
    end: '\0' | '\n',
    tool = '',
  ): Promise<readonly string[]> {
    if (entries.length === 0) return [];
    const stdin = Buffer.concat(entries.flatMap(({ path }) => [toBuffer(path), Buffer.alloc(1)]));
    const result = await this.#host.run(
      { script, args: [this.#directory, tool], stdin, asRoot: true },
      {
        timeoutMs: BASE_TIMEOUT_MS + sizeOf(entries) / BYTES_PER_MS,
        maxOutputBytes: MAX_OUTPUT,
        signal: this.#signal,
      },
    );
    const answers = bytesOfBuffer(result.stdout).split(end);
    // each answer is closed
    if (answers.length === entries.length + 1) return answers.slice(0, -1);
    const said = lastLine(result.stderr.toString('utf8')).slice(0, 300);
    throw new DomainError(
      'restore_failed',
      `The host could not compare the files: ${said || `code ${result.exitCode}`}.`,
    );
  }
}

function factsFault(entry: ManifestEntry, line: string | undefined, withModes: boolean): string | null {
  const [mode, size] = line?.split(' ') ?? [];
  if (mode === undefined || mode === '-' || size === undefined) return 'is missing';
  const type = TYPE_BITS[mode.padStart(4, '0')[0] ?? ''];
  if (type !== entry.type) return `is a ${type ?? 'different type'} instead of a ${entry.type}`;
  if (entry.type === 'file' && Number(size) !== entry.size) {
    return `has ${size} bytes instead of ${entry.size}`;
  }
  const isOther = (Number.parseInt(mode, 16) & PERMISSIONS) !== entry.mode && entry.type !== 'symlink';
  return withModes && isOther ? 'has different permissions' : null;
}

function contentFault(entry: ManifestEntry, hash: string | null): string | null {
  if (hash === null) return 'cannot be read';
  return hash === entry.sha256 ? null : 'has different content';
}
