import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { HostProcess, RemoteHost } from '../../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Operation } from './operations.ts';
import { assertOutcome, type Outcome, type Subject } from './outcome.ts';
import type { Conversation, ShellOutput } from './warm-shell.ts';

/** A first line is a mark and some numbers, or a file root's path. */
const MAX_LINE_LENGTH = 8_192;
const MAX_REPORTED = 16_384;
/** For a host that looks for names in a very large directory on a slow disk. */
const TIMEOUT_MS = 120_000;

const REPEATABLE: ReadonlySet<Operation> = new Set(['list', 'stat', 'read']);

export interface Call<What> {
  /** The action: an operation, or a separate script. */
  readonly what: What;
  readonly about: Subject;
  /** Its place: a directory of the file root, and a name in it. */
  readonly directory: string;
  readonly name: string;
  readonly args?: readonly string[];
  /** Words that are no refusal. */
  readonly expect: readonly string[];
}

/** A helper's output after its first line, and that line. */
export interface Answer {
  readonly outcome: Outcome;
  readonly rest: Buffer;
  readonly mark: string;
  readonly stderr: string;
}

export interface HelperDeps {
  readonly host: RemoteHost;
  /** Asks a warm shell of that host. */
  readonly ask: (conversation: Conversation) => Promise<ShellOutput>;
  /** 32 random hex digits, so that nothing on the host can print a line that passes for ours. */
  readonly newMark: () => string;
  readonly signal: AbortSignal | undefined;
}

/** Runs helpers on a host. */
export class Helper {
  readonly #host: RemoteHost;
  readonly #ask: HelperDeps['ask'];
  readonly #newMark: () => string;
  readonly #signal: AbortSignal | undefined;

  constructor({ host, ask, newMark, signal }: HelperDeps) {
    this.#host = host;
    this.#ask = ask;
    this.#newMark = newMark;
    this.#signal = signal;
  }

  get signal(): AbortSignal | undefined {
    return this.#signal;
  }

  /** `most`: bytes to expect after the first line. */
  async run(call: Call<Operation>, most = 0): Promise<Answer> {
    const mark = this.#newMark();
    const { what, about, directory, name, args = [] } = call;
    const [one = '', two = ''] = args;
    const said = await this.#ask({
      lines: [what, mark, about.jail, directory, name, one, two],
      most: MAX_LINE_LENGTH + most,
      timeoutMs: TIMEOUT_MS,
      signal: this.#signal,
      repeatable: REPEATABLE.has(what),
    });
    const stderr = said.stderr.subarray(-MAX_REPORTED).toString('utf8').trimEnd();
    const end = said.stdout.indexOf('\n');
    const outcome = readLine(said.stdout.subarray(0, end < 0 ? undefined : end), mark);
    assertOutcome(outcome, call.expect, stderr, call.about);
    return { outcome, rest: said.stdout.subarray(end < 0 ? said.stdout.length : end + 1), mark, stderr };
  }

  /** Starts one that reads its standard input, or goes on after its first line. */
  async open(call: Call<string>, signal?: AbortSignal): Promise<OpenHelper> {
    const mark = this.#newMark();
    const command = { script: call.what, args: argsOf(call, mark) };
    const using = signal ?? this.#signal;
    return new OpenHelper(await this.#host.open(command, using ? { signal: using } : {}), call, mark);
  }
}

/** A running helper. */
export class OpenHelper {
  readonly process: HostProcess;
  readonly #call: Call<string>;
  readonly #mark: string;
  #said = '';

  constructor(process: HostProcess, call: Call<string>, mark: string) {
    this.process = process;
    this.#call = call;
    this.#mark = mark;
    process.stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString('utf8')).slice(-MAX_REPORTED);
    });
  }

  /** Waits for the first line; the rest stays in the stream. Throws the helper's refusal. */
  async outcome(): Promise<Outcome> {
    const line = await firstLine(this.process.stdout);
    const outcome = readLine(line, this.#mark);
    if (!this.#call.expect.includes(outcome.word)) {
      this.process.stdout.resume();
      // the tools' messages may come later
      await this.process.exit;
    }
    assertOutcome(outcome, this.#call.expect, this.#said, this.#call.about);
    return outcome;
  }
}

const argsOf = ({ about, directory, name, args = [] }: Call<string>, mark: string): string[] => [
  mark,
  about.jail,
  directory,
  name,
  ...args,
];

/** Without any line of the protocol it ended early: the shell's message says why. */
function readLine(line: Uint8Array, mark: string): Outcome {
  const [first, word = '', ...values] = Buffer.from(line).toString('utf8').split(' ');
  return first === mark ? { word, values } : { word: 'failed', values: [] };
}

async function firstLine(stdout: Readable): Promise<Buffer> {
  let line = Buffer.alloc(0);
  for (;;) {
    const chunk: unknown = stdout.read();
    if (Buffer.isBuffer(chunk)) {
      line = Buffer.concat([line, chunk]);
      const end = line.indexOf('\n');
      if (end >= 0) {
        if (end + 1 < line.length) stdout.unshift(line.subarray(end + 1));
        return line.subarray(0, end);
      }
      if (line.length > MAX_LINE_LENGTH) return line;
    } else if (stdout.readableEnded || stdout.destroyed) {
      if (stdout.errored) throw stdout.errored;
      return line;
    } else {
      await Promise.race([once(stdout, 'readable'), once(stdout, 'end'), once(stdout, 'close')]);
    }
  }
}

/** The host's answer is not one of our helper's. */
export const nonsense = ({ serverName }: Subject): DomainError =>
  new DomainError('host_command_failed', `"${serverName}" returned an invalid reply.`);
