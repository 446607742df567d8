import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, closedPaths, display, toBuffer } from './byte-string.ts';
import type { ReadMember } from './tar-reader.ts';
import { TarReader } from './tar-reader.ts';

/** So long nothing may come from the host. */
const SILENCE_MS = 900_000;
const MAX_SAID = 64 * 1024;
const MAX_COMPLAINTS = 5;

/**
 * Archives the paths on standard input. "$1": `gnu` for GNU tar, else any; then its options. Names start with "./",
 * so that none is read as an option. A tar without support for NUL-separated lists gets names as arguments, and may
 * be started several times.
 */
export const FETCH = `
kind=$1
shift
cd / || exit 43
[ "$kind" = gnu ] || exec xargs -0 tar -c -f - --
exec tar -c -b 128 -f - "$@" --null -T -
`;
/** "$1": the start, counted from 1; "$2": the number of bytes. */
export const FETCH_REST = `exec xargs -0 sh -c 'tail -c "+$1" -- "$3" | head -c "$2"' drover "$1" "$2"`;
/** "$1": how many bytes. */
const HEAD_SUM = `exec xargs -0 sh -c 'head -c "$1" -- "$2" | sha256sum' drover "$1"`;

/** GNU tar's: metadata that the listing already has is omitted. */
export function gnuOptions(order: { readonly attributes: boolean; readonly holes: boolean }): string[] {
  return [
    '--format=posix',
    '--pax-option=delete=atime,delete=ctime,delete=mtime',
    '--numeric-owner',
    '--no-recursion',
    '--ignore-failed-read',
    '--no-unquote',
    ...(order.holes ? ['--sparse', '--sparse-version=1.0'] : []),
    ...(order.attributes ? ['--xattrs', '--acls'] : ['--no-xattrs', '--no-acls']),
  ];
}

export interface FetchOrder {
  readonly host: RemoteHost;
  readonly isGnu: boolean;
  readonly attributes: boolean;
  readonly holes: boolean;
  readonly signal: AbortSignal;
}

/** Messages of the host's tar. */
export interface FetchComplaints {
  readonly lines: readonly string[];
  readonly exitCode: number | null;
}

/** Answers of a host about paths, which it gives in the order in which it was asked; some may be missing. */
export class InOrder {
  readonly paths: readonly ByteString[];
  readonly #onMissing: (index: number) => void;
  #at = 0;

  constructor(paths: readonly ByteString[], onMissing: (index: number) => void = () => undefined) {
    this.paths = paths;
    this.#onMissing = onMissing;
  }

  /** Which of them this is. Throws `backup_failed` for one that was not requested, or that came before. */
  take(path: ByteString): number {
    for (; this.#at < this.paths.length; this.#at += 1) {
      if (this.paths[this.#at] === path) {
        this.#at += 1;
        return this.#at - 1;
      }
      this.#onMissing(this.#at);
    }
    throw new DomainError(
      'backup_failed',
      `The host sent "${display(path).slice(0, 400)}", which was not requested.`,
    );
  }

  /** The rest is missing. */
  finish(): void {
    for (; this.#at < this.paths.length; this.#at += 1) this.#onMissing(this.#at);
  }
}

/**
 * Has the host archive paths and returns each member with its path and reader. Members that were not requested, or
 * come twice, are an error. Throws as `TarReader` does, and what the connection ended with.
 */
export async function fetchFrom(
  order: FetchOrder,
  paths: readonly ByteString[],
  take: (index: number, member: ReadMember, reader: TarReader) => void | Promise<void>,
): Promise<FetchComplaints> {
  const args = order.isGnu ? ['gnu', ...gnuOptions(order)] : ['any'];
  return streamed(order, { script: FETCH, args }, closedPaths(paths, './'), async (stdout) => {
    const asked = new InOrder(paths);
    const reader = new TarReader(stdout);
    for (let member = await reader.next(); member; member = reader.ready() ?? (await reader.next())) {
      const taking = take(asked.take(pathOf(member.name)), member, reader);
      if (taking) await taking;
    }
  });
}

/** ACLs and extended attributes of one path. They come with its header; the content is not waited for. */
export async function attributesOf(
  order: FetchOrder,
  path: ByteString,
): Promise<ReadonlyMap<string, Buffer>> {
  let records: ReadonlyMap<string, Buffer> = new Map();
  if (!order.attributes) return records;
  const enough = new Error('enough');
  await fetchFrom(order, [path], (_, member) => {
    records = member.records;
    throw enough;
  }).catch((error: unknown) => {
    if (error !== enough) throw error;
  });
  return records;
}

function pathOf(name: ByteString): ByteString {
  const from = name.startsWith('./') ? 2 : 0;
  return name.slice(from, name.endsWith('/') ? -1 : undefined) as ByteString;
}

/** Reads some bytes of a file of the host from an offset on. Throws `backup_failed` for more than these. */
export function fetchRest(
  order: Pick<FetchOrder, 'host' | 'signal'>,
  path: ByteString,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
  take: (stdout: AsyncIterable<Buffer>) => Promise<void>,
): Promise<FetchComplaints> {
  const command = { script: FETCH_REST, args: [String(offset + 1), String(bytes)] };
  const counted = async function* (stdout: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = bytes;
    for await (const chunk of stdout) {
      left -= chunk.length;
      if (left < 0) throw new DomainError('backup_failed', 'The host sent more than requested.');
      yield chunk;
    }
  };
  return streamed(order, command, closedPaths([path], '/'), (stdout) => take(counted(stdout)));
}

/** The SHA-256 of the first bytes of a host's file; `null` if the host does not report it. */
export async function sumOfHead(
  { host, signal }: Pick<FetchOrder, 'host' | 'signal'>,
  path: ByteString,
  bytes: number,
): Promise<string | null> {
  const command = {
    script: HEAD_SUM,
    args: [String(bytes)],
    stdin: toBuffer(`/${path}\0` as ByteString),
    asRoot: true,
  };
  const { stdout } = await host.run(command, { signal, timeoutMs: 600_000 + bytes / 2_000 });
  return /^[0-9a-f]{64}/.exec(stdout.toString('latin1'))?.[0] ?? null;
}

async function streamed(
  { host, signal }: Pick<FetchOrder, 'host' | 'signal'>,
  command: { readonly script: string; readonly args: readonly string[] },
  names: Iterable<Buffer>,
  take: (stdout: AsyncIterable<Buffer>) => Promise<void>,
): Promise<FetchComplaints> {
  const process = await host.open({ ...command, asRoot: true }, { signal });
  let heardAt = performance.now();
  let said = '';
  process.stderr.on('data', (chunk: Buffer) => {
    if (said.length < MAX_SAID) said += chunk.toString('latin1');
  });
  const timer = setInterval(() => {
    if (performance.now() - heardAt > SILENCE_MS) process.kill();
  }, 1_000);
  process.exit.catch(() => undefined);
  process.stdin.on('error', () => undefined);
  pipeline(Readable.from(names), process.stdin, () => undefined);
  // ignore how the host's side ends: there is no reader left
  const stop = (): void => void process.stdout.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const heard = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      heardAt = performance.now();
      yield chunk;
    }
    // a stream that ends with its connection is not at its end
    await process.exit;
  };
  try {
    await take(heard());
    const { exitCode } = await process.exit;
    signal.throwIfAborted();
    if (exitCode === 127)
      throw new DomainError('host_tool_missing', 'tar is not installed on the host: install it there.');
    return {
      lines: said
        .split('\n')
        .filter((line) => line !== '')
        .slice(0, MAX_COMPLAINTS)
        .map(shown),
      exitCode,
    };
  } catch (error) {
    process.kill();
    signal.throwIfAborted();
    // how the host ended says more than that something was cut
    await process.exit;
    const line = said.split('\n').find((each) => each !== '');
    if (error instanceof DomainError && error.code === 'backup_failed' && line !== undefined) {
      throw new DomainError('backup_failed', `${error.message} The host said: ${shown(line)}`, {
        cause: error,
      });
    }
    throw error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    process.kill();
  }
}

const shown = (line: string): string => display(line.slice(0, 400) as ByteString);

const ZEROS = Buffer.alloc(1024 * 1024);
const BREATHE_EVERY = 64;

/** A file's content while it comes: all its bytes, holes too, go through its sum. */
export class ContentSum {
  readonly #hash = createHash('sha256');

  update(bytes: Buffer): void {
    this.#hash.update(bytes);
  }

  /** `write` gets the bytes of the hole if it has to be filled. */
  async hole(
    bytes: number,
    signal: AbortSignal,
    write?: (zeros: Buffer) => void | Promise<void>,
  ): Promise<void> {
    let rounds = 0;
    for (let left = bytes; left > 0; left -= ZEROS.length) {
      const zeros = left < ZEROS.length ? ZEROS.subarray(0, left) : ZEROS;
      this.#hash.update(zeros);
      if (write) await write(zeros);
      rounds += 1;
      if (rounds % BREATHE_EVERY !== 0) continue;
      signal.throwIfAborted();
      await breathe();
    }
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
