import { setImmediate as otherWork } from 'node:timers/promises';
import {
  type ProtectedPlaces,
  refuseProtected,
} from '../../../../application/ports/backups/protected-places.ts';
import type { OpenRepository } from '../../../../application/ports/backups/repository-inspector.ts';
import type { HostProcess, RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { hostJson } from '../../hosts/shell/host-lines.ts';
import { toolMissing } from '../host-tool.ts';
import { readLines } from '../rsync-lines.ts';
import { environmentOf, masked } from './restic-environment.ts';

const NO_RESTIC = 41;
const NO_FLOCK = 42;
const NO_HOME = 43;
const BUSY = 44;
/** How long a backup waits for one of the same source that a killed service left on the host. */
const BUSY_WAIT_S = 20;
const MAX_STDERR = 16 * 1024;
/** In bytes of a line: an entry with its extended attributes. */
const MAX_ENTRY = 1024 * 1024;
/** Lines between which the service does other work. */
const AT_ONCE = 200;
/** In bytes: the list of some 50,000 snapshots. */
const MAX_DOCUMENT = 32 * 1024 * 1024;

/**
 * The repository and its secrets come on standard input as NAME=value lines up to an empty one, into restic's
 * environment only: nothing of it is in the process list or on a disk. "$1" names a lock file on the host or is
 * empty; restic holds it as an open file, so that the kernel releases it when restic exits.
 */
const RUN = `command -v restic >/dev/null 2>&1 || exit ${NO_RESTIC}
unset RESTIC_PASSWORD_FILE RESTIC_PASSWORD_COMMAND RESTIC_REPOSITORY_FILE
while IFS= read -r line && [ -n "$line" ]; do export "$line"; done
lock=$1; shift
if [ -n "$lock" ]; then
  command -v flock >/dev/null 2>&1 || exit ${NO_FLOCK}
  home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
  [ -n "$home" ] || home=$HOME
  (umask 077; mkdir -p "$home/.drover") || exit ${NO_HOME}
  exec 8>>"$home/.drover/restic-$lock.lock" || exit ${NO_HOME}
  tries=0
  while ! flock -n 8; do
    tries=$((tries + 1)); [ "$tries" -lt ${BUSY_WAIT_S} ] || exit ${BUSY}
    sleep 1
  done
fi
exec restic "$@"`;

const ID_LENGTH = 64;
const ID_TIMEOUT_MS = 60_000;
/**
 * "$1": prefix of the id; "$2": a repository on the host, or empty. Otherwise restic's cache has each snapshot that
 * it created.
 */
const WHOLE_ID = `for file in "\${2:-/nonexistent}/snapshots/$1"* \
  "\${RESTIC_CACHE_DIR:-\${XDG_CACHE_HOME:-$HOME/.cache}/restic}"/*/snapshots/??/"$1"*; do
  if [ -f "$file" ]; then printf '%s\\n' "\${file##*/}"; fi
done`;

export interface ResticOrder {
  readonly args: readonly string[];
  /** For restic's own standard input. */
  readonly input?: Buffer;
  /** Held on the host while restic runs. */
  readonly lock?: string;
  /** Lines of standard output, UTF-8. */
  readonly onLine?: (line: string) => void;
  /** Standard output is one JSON document, kept for `ResticEnd.document` in place of lines. */
  readonly isJson?: boolean;
  /** Lines of standard error, UTF-8; secrets in them are masked. */
  readonly onComplaint?: (line: string) => void;
}

export interface ResticEnd {
  readonly exitCode: number | null;
  /** For an order with `isJson`; `undefined` if it is invalid JSON, nested too deep, or longer than 32 MiB. */
  readonly document?: unknown;
  /** The end of standard error, secrets masked. */
  readonly said: string;
}

/** restic on a host, with a repository. */
export class ResticHost {
  readonly host: RemoteHost;
  readonly opened: OpenRepository;
  readonly places: ProtectedPlaces;
  readonly #signal: AbortSignal;

  /** `places`: a repository on the host's own disk is none of them, and in none. */
  constructor(host: RemoteHost, opened: OpenRepository, places: ProtectedPlaces, signal: AbortSignal) {
    this.host = host;
    this.opened = opened;
    this.places = places;
    this.#signal = signal;
  }

  /**
   * Runs it to its end. Throws `path_refused` for a repository in one of the service's places, `host_tool_missing`,
   * `backup_failed` if another run holds the lock, and as `RemoteHost`.
   */
  async run(order: ResticOrder): Promise<ResticEnd> {
    const process = await this.#start(order);
    const complaints = this.#complaintsOf(process, order.onComplaint);
    if (order.isJson) {
      const output = documentOf(process);
      const end = await this.#endOf(process, Promise.all([complaints, output]));
      return { ...end, document: await output };
    }
    const output = readLines(process.stdout, (line) => order.onLine?.(textOf(line)));
    return this.#endOf(process, Promise.all([complaints, output]));
  }

  /**
   * The same, with standard output as lines, with back-pressure. Throws what `failure` returns for an unsuccessful
   * end.
   */
  async *lines(order: ResticOrder, failure: (end: ResticEnd) => DomainError): AsyncGenerator<string> {
    const process = await this.#start(order);
    const complaints = this.#complaintsOf(process, order.onComplaint);
    let isRead = false;
    try {
      let rest = '';
      for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
        const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
        rest = (lines.pop() ?? '').slice(0, MAX_ENTRY);
        for (const [index, line] of lines.entries()) {
          yield textOf(line.slice(0, MAX_ENTRY));
          if (index % AT_ONCE === AT_ONCE - 1) await otherWork();
        }
      }
      isRead = true;
    } finally {
      if (!isRead) process.kill();
    }
    const end = await this.#endOf(process, complaints);
    if (end.exitCode !== 0) throw failure(end);
  }

  /** Starts it with an open output, to forward it. */
  start(order: ResticOrder): Promise<HostProcess> {
    return this.#start(order);
  }

  /** Throws `path_refused` for a repository in a place of the service's, as it is now. */
  async check(): Promise<void> {
    const { kind, url } = this.opened.repository;
    if (kind !== 'local') return;
    await refuseProtected(this.places, this.host, url, this.#signal);
  }

  /**
   * The id of a snapshot that restic has just created on this host, or its first digits. `null` if the host does not
   * report it.
   */
  async wholeId(start: string): Promise<string | null> {
    if (start.length === ID_LENGTH) return start;
    const { kind, url } = this.opened.repository;
    const { stdout } = await this.host.run(
      { script: WHOLE_ID, args: [start, kind === 'local' ? url : ''], asRoot: true },
      { timeoutMs: ID_TIMEOUT_MS, maxOutputBytes: MAX_ENTRY, signal: this.#signal },
    );
    const ids = new Set(stdout.toString('latin1').split('\n').filter(Boolean));
    const [id = ''] = ids;
    return ids.size === 1 && /^[0-9a-f]{64}$/.test(id) && id.startsWith(start) ? id : null;
  }

  async #start({ args, input, lock }: ResticOrder): Promise<HostProcess> {
    await this.check();
    const stdin = Buffer.concat([Buffer.from(environmentOf(this.opened)), input ?? Buffer.alloc(0)]);
    const command = { script: RUN, args: [lock ?? '', ...args], stdin, asRoot: true };
    const process = await this.host.open(command, { signal: this.#signal });
    process.stdin.on('error', () => undefined);
    process.stdin.end();
    process.exit.catch(() => undefined);
    return process;
  }

  async #complaintsOf(
    { stderr }: HostProcess,
    onComplaint: ((line: string) => void) | undefined,
  ): Promise<string> {
    let said = '';
    await readLines(stderr, (line) => {
      const text = masked(textOf(line), this.opened.secrets);
      said = `${said}${text}\n`.slice(-MAX_STDERR);
      onComplaint?.(text);
    });
    return said.trim();
  }

  async #endOf(
    process: HostProcess,
    output: Promise<string | readonly [string, unknown]>,
  ): Promise<ResticEnd> {
    const { exitCode } = await process.exit;
    const read = await output;
    this.#signal.throwIfAborted();
    const said = typeof read === 'string' ? read : read[0];
    if (exitCode === NO_RESTIC) throw toolMissing('restic');
    if (exitCode === NO_FLOCK) {
      throw new DomainError(
        'host_tool_missing',
        'flock is not installed on the host: install util-linux there.',
      );
    }
    if (exitCode === NO_HOME) {
      throw new DomainError('host_command_failed', `The home of the account cannot be written to: ${said}.`);
    }
    if (exitCode === BUSY) {
      throw new DomainError(
        'backup_failed',
        'Another backup of this source is running on the host, started by another service or left by one that was killed. Try again when it has ended.',
      );
    }
    return { exitCode, said };
  }
}

/** Stops a process that prints more than is read. */
async function documentOf(process: HostProcess): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_DOCUMENT) break;
      chunks.push(chunk);
    }
  } catch {
    // count what was read
  }
  if (size > MAX_DOCUMENT) {
    process.kill();
    return undefined;
  }
  // restic prints nothing at all for an empty list
  return size === 0 ? null : hostJson(Buffer.concat(chunks).toString('utf8'), MAX_DOCUMENT);
}

const textOf = (line: string): string => Buffer.from(line, 'latin1').toString('utf8');
