import type { Duplex } from 'node:stream';
import type { HostProcess, ProcessExit, RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import { readLines } from './rsync-lines.ts';

const MAX_COMMAND_BYTES = 64 * 1024;

/** Starts on the host what the ssh stand-in requests, and connects the two. */
export class RsyncCarrier {
  /** Why the host's side did not run to its end. */
  failure: unknown;
  remote: ProcessExit | null = null;
  readonly #run: CarriedRun;
  readonly #data: Duplex;
  readonly #control: Duplex;
  #process: HostProcess | null = null;
  #done: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(run: CarriedRun, data: Duplex, control: Duplex) {
    this.#run = run;
    this.#data = data;
    this.#control = control;
    for (const each of [data, control]) each.on('error', () => undefined);
    void this.#carry();
  }

  /** To be called when rsync has ended here: ends the host's side too, and waits for it. */
  async finish(): Promise<void> {
    this.#isOver = true;
    if (this.#process) this.#end(this.#process);
    this.#data.destroy();
    this.#control.destroy();
    await this.#done;
  }

  async #carry(): Promise<void> {
    const command = await commandFrom(this.#control);
    if (!command) return;
    this.#done = this.#runThere(command).catch((error: unknown) => {
      this.failure = error;
    });
    await this.#done;
    // the stand-in ends with this code, and rsync with it
    this.#control.end(`${this.remote?.exitCode ?? 255}\n`);
    this.#data.end();
  }

  async #runThere(rsyncArgs: readonly string[]): Promise<void> {
    const { host, remoteScript, remoteArgs = [], signal, onComplaint } = this.#run;
    const command = { script: remoteScript, args: [...remoteArgs, ...rsyncArgs], asRoot: true };
    const process = await host.open(command, { signal });
    this.#process = process;
    process.stdin.on('error', () => undefined);
    const complaints = readLines(process.stderr, onComplaint);
    if (this.#isOver) this.#end(process);
    else {
      process.stdout.pipe(this.#data, { end: false });
      this.#data.pipe(process.stdin);
    }
    this.remote = await process.exit;
    await complaints;
  }

  #end(process: HostProcess): void {
    process.stdout.unpipe(this.#data);
    process.stdout.resume();
    process.kill();
  }
}

export interface CarriedRun {
  readonly host: RemoteHost;
  readonly remoteScript: string;
  readonly remoteArgs?: readonly string[];
  readonly signal: AbortSignal;
  readonly onComplaint: (line: string) => void;
}

/** rsync's arguments for the host; before them come the host's name and "rsync". `null` if there are none. */
async function commandFrom(control: Duplex): Promise<readonly string[] | null> {
  let received = Buffer.alloc(0);
  for (;;) {
    const chunk = await nextChunk(control);
    if (!chunk) return null;
    received = Buffer.concat([received, chunk]);
    if (received.length > MAX_COMMAND_BYTES) return null;
    const [count, ...words] = received.toString('latin1').split('\0');
    if (words.length > Number(count)) return words.slice(2, Number(count));
  }
}

function nextChunk(stream: Duplex): Promise<Buffer | null> {
  if (stream.destroyed) return Promise.resolve(null);
  return new Promise((resolve) => {
    const settle = (chunk: Buffer | null): void => {
      stream.off('data', settle);
      stream.off('close', end);
      stream.pause();
      resolve(chunk);
    };
    const end = (): void => settle(null);
    stream.on('data', settle);
    stream.on('close', end);
    stream.resume();
  });
}
