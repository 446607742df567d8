import { setImmediate as otherWork } from 'node:timers/promises';
import {
  type ProtectedPlaces,
  refuseProtected,
} from '../../../../application/ports/backups/protected-places.ts';
import type { OpenRepository } from '../../../../application/ports/backups/repository-inspector.ts';
import type {
  HostCommand,
  HostProcess,
  RemoteHost,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { hostJson } from '../../hosts/shell/host-lines.ts';
import { readLines } from '../rsync-lines.ts';
import { toolMissing } from '../source-survey.ts';
import { environmentOf, masked } from './restic-environment.ts';
import { argumentLines, EXIT, RUN_SCRIPT, WHOLE_ID_SCRIPT } from './restic-scripts.ts';

const MAX_STDERR = 16 * 1024;
/** In bytes of a line: an entry with its extended attributes. */
const MAX_ENTRY = 1024 * 1024;
/** Lines between which the service does other work. */
const AT_ONCE = 200;
/** In bytes: the list of some 50,000 snapshots. */
const MAX_DOCUMENT = 32 * 1024 * 1024;

const ID_LENGTH = 64;
const MAX_IDS = 2;
const ID_TIMEOUT_MS = 60_000;

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

/** A shell on the host that waits for restic's arguments, and holds the lock. */
interface LockWait {
  readonly lock: string;
  readonly process: Promise<HostProcess>;
}

/** restic on a host, with a repository. */
export class ResticHost {
  readonly host: RemoteHost;
  readonly opened: OpenRepository;
  readonly places: ProtectedPlaces;
  readonly #signal: AbortSignal;
  #waiting: LockWait | null = null;
  #idReader: Promise<HostProcess> | null = null;

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

  /** Starts what the next run with this lock needs before its arguments are known. `discard` it at the end. */
  prepare(lock: string): void {
    const process = this.#check().then(() => this.#open(lock));
    process.catch(() => undefined);
    this.#waiting = { lock, process };
  }

  /** The same for `wholeId`. */
  prepareId(): void {
    const { kind, url } = this.opened.repository;
    this.#idReader ??= this.#opened({
      script: WHOLE_ID_SCRIPT,
      args: [kind === 'local' ? url : ''],
      asRoot: true,
    });
    this.#idReader.catch(() => undefined);
  }

  /** Ends what was prepared and not used. */
  discard(): void {
    for (const unused of [this.#waiting?.process, this.#idReader]) {
      unused?.then((process) => process.kill()).catch(() => undefined);
    }
    this.#waiting = null;
    this.#idReader = null;
  }

  /**
   * The id of a snapshot that restic has just created on this host, or its first digits. `null` if the host does not
   * report it.
   */
  async wholeId(start: string): Promise<string | null> {
    if (start.length === ID_LENGTH) return start;
    this.prepareId();
    const process = (await this.#idReader) as HostProcess;
    const timer = setTimeout(() => process.kill(), ID_TIMEOUT_MS);
    process.stdin.end(`${start}\n`);
    process.stderr.resume();
    const ids = new Set<string>();
    await readLines(process.stdout, (line) => void (ids.size < MAX_IDS && ids.add(line)));
    await process.exit.finally(() => clearTimeout(timer));
    this.#idReader = null;
    const [id = ''] = ids;
    return ids.size === 1 && /^[0-9a-f]{64}$/.test(id) && id.startsWith(start) ? id : null;
  }

  /** Throws `path_refused` for a repository in a place of the service's, as it is now. */
  async #check(): Promise<void> {
    const { kind, url } = this.opened.repository;
    if (kind !== 'local') return;
    await refuseProtected(this.places, this.host, url, this.#signal);
  }

  async #start({ args, input, lock }: ResticOrder): Promise<HostProcess> {
    const process = await (this.#takeWaiting(lock) ?? this.#check().then(() => this.#open(lock)));
    process.stdin.end(Buffer.concat([Buffer.from(argumentLines(args)), input ?? Buffer.alloc(0)]));
    return process;
  }

  #takeWaiting(lock: string | undefined): Promise<HostProcess> | null {
    const waiting = this.#waiting;
    if (waiting === null || waiting.lock !== lock) return null;
    this.#waiting = null;
    return waiting.process;
  }

  #open(lock = ''): Promise<HostProcess> {
    const stdin = Buffer.from(environmentOf(this.opened));
    return this.#opened({ script: RUN_SCRIPT, args: [lock], stdin, asRoot: true });
  }

  async #opened(command: HostCommand): Promise<HostProcess> {
    const process = await this.host.open(command, { signal: this.#signal });
    process.stdin.on('error', () => undefined);
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
    if (exitCode === EXIT.noRestic) throw toolMissing('restic');
    if (exitCode === EXIT.noFlock) {
      throw new DomainError(
        'host_tool_missing',
        'flock is not installed on the host: install util-linux there.',
      );
    }
    if (exitCode === EXIT.noHome) {
      throw new DomainError('host_command_failed', `The home of the account cannot be written to: ${said}.`);
    }
    if (exitCode === EXIT.busy) {
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
