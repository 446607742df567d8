import { createHash } from 'node:crypto';
import type {
  FileVersion,
  WriteOptions,
  WriteResult,
} from '../../../../../application/ports/files/jail-fs.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { wholeNumber } from '../../shell/host-text.ts';
import { whenAborted } from '../../shell/when-aborted.ts';
import { tooLarge } from '../refusals.ts';
import { type Helper, nonsense, type OpenHelper } from './helper.ts';
import type { Outcome, Subject } from './outcome.ts';
import { WRITE } from './write-script.ts';

/** A host that accepts no data for this long is given up. */
const STALLED_MS = 60_000;
/** For syncing and hashing up to half a gigabyte on a slow disk. */
const COMMIT_MS = 300_000;
/** The helper removes its own leftovers, and gets this long for it. */
const ENDING_MS = 5_000;

export interface FileUpload {
  readonly helper: Helper;
  readonly about: Subject;
  readonly directory: string;
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  readonly options: WriteOptions;
  /** 32 random hex digits for the name of the file that is being written. */
  readonly random: string;
  /** Runs the last step while no other write of this process is at it. */
  readonly commit: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Streams a file to its helper. The host replaces the file only after the last piece, so that an earlier end leaves
 * the previous file.
 */
export async function sendFile(sending: FileUpload): Promise<WriteResult> {
  const { signal } = sending.helper;
  const ending = new AbortController();
  const forget = whenAborted(signal, () => ending.abort(signal?.reason));
  try {
    return await sendUntil(sending, ending);
  } finally {
    forget();
  }
}

async function sendUntil(sending: FileUpload, ending: AbortController): Promise<WriteResult> {
  const { helper, about, directory, name, options, random } = sending;
  const { expect, most } = options;
  const expected = typeof expect === 'object' ? expect.sha256 : expect;
  const args = [expected, String(most)];
  const opened = await helper.open(
    { what: WRITE, about, directory, name, args, expect: ['written'] },
    ending.signal,
  );
  const deadline = new Deadline(() =>
    ending.abort(
      new DomainError('host_timeout', `"${about.serverName}" stopped accepting ${String(about.path)}.`),
    ),
  );
  try {
    await put(opened, Buffer.from(`${random}\n`));
    return await send(sending, opened, deadline);
  } catch (error) {
    await end(opened);
    ending.signal.throwIfAborted();
    throw error;
  } finally {
    deadline.lift();
  }
}

async function send(
  { content, options, about, commit }: FileUpload,
  opened: OpenHelper,
  deadline: Deadline,
): Promise<WriteResult> {
  const outcome = opened.outcome();
  // a helper that has refused reads no more, and over SSH nothing else shows that
  const over = outcome.then(
    () => false,
    () => false,
  );
  const take = (data: Uint8Array): Promise<boolean> => Promise.race([put(opened, data), over]);
  const hash = createHash('sha256');
  let size = 0;
  for await (const { piece, last } of inPieces(content)) {
    size += piece.length;
    if (size > options.most) throw tooLarge(about.path, options.most);
    hash.update(piece);
    const line = Buffer.from(`${last ? 'last' : 'more'} ${piece.length}\n`);
    if (last) {
      return commit(async () => {
        deadline.set(COMMIT_MS);
        if ((await take(line)) && (await take(piece))) opened.process.stdin.end();
        const before = formerOf(await outcome, size, about);
        opened.process.stdout.resume();
        return { size, sha256: hash.digest('hex'), before };
      });
    }
    deadline.set(STALLED_MS);
    if (!((await take(line)) && (await take(piece)))) break;
    deadline.lift();
  }
  await outcome;
  throw nonsense(about);
}

/** `TOTAL new`, or `TOTAL SIZE HASH` of the replaced file. */
function formerOf({ values }: Outcome, sent: number, about: Subject): FileVersion | null {
  const [total, before, sha256 = ''] = values;
  if (wholeNumber(total) !== sent) throw nonsense(about);
  if (before === 'new') return null;
  const size = wholeNumber(before);
  if (size === null || !/^([0-9a-f]{64}|-)$/.test(sha256)) throw nonsense(about);
  return { size, sha256: sha256 === '-' ? null : sha256 };
}

/** Resolves once the host has room for more; `false` if the helper stopped reading. */
function put({ process: { stdin } }: OpenHelper, data: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    if (stdin.destroyed || stdin.writableEnded) resolve(false);
    else stdin.write(data, (error) => resolve(!error));
  });
}

async function end({ process }: OpenHelper): Promise<void> {
  process.stdin.end();
  process.stdout.resume();
  const force = setTimeout(() => process.kill(), ENDING_MS);
  await process.exit.catch(() => undefined);
  clearTimeout(force);
}

/** Expires after this long, unless it is reset or cleared. */
class Deadline {
  readonly #missed: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(missed: () => void) {
    this.#missed = missed;
  }

  set(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#missed, ms);
  }

  lift(): void {
    clearTimeout(this.#timer);
  }
}

/** The helper starts a program for each piece. */
const PIECE_BYTES = 1024 * 1024;

interface Piece {
  readonly piece: Uint8Array;
  readonly last: boolean;
}

/** Content in pieces of about 1 MiB, the last one marked; there is always a last one, possibly empty. */
async function* inPieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    if (size > 0 && size + chunk.length > PIECE_BYTES) {
      yield { piece: Buffer.concat(gathered), last: false };
      gathered = [];
      size = 0;
    }
    gathered.push(chunk);
    size += chunk.length;
  }
  yield { piece: Buffer.concat(gathered), last: true };
}
