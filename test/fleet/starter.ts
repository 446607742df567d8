import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./starter-child.mjs', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

interface Ended {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}
type Answer = Ended & { readonly id: number; readonly fault: string | null };
interface Waiting {
  readonly resolve: (ended: Ended) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Runs programs to their end in a small process beside this one. Starting a program copies a process first, with its
 * page tables: 2 ms for a small one, 10 to 20 for one of vitest's, and thousands are started.
 */
class Starter {
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | undefined;
  #last = 0;

  /** Rejects if the program cannot be started, or prints more than 64 MiB. */
  run(program: string, args: readonly string[], input: string | Buffer): Promise<Ended> {
    const child = (this.#child ??= this.#start());
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      child.channel?.ref();
      child.send({ id, program, args, input, maxBuffer: MAX_OUTPUT_BYTES });
    });
  }

  #start(): ChildProcess {
    const child = fork(CHILD, { serialization: 'advanced', execArgv: [], stdio: 'ignore' });
    child.unref();
    child.on('message', (answer: Answer) => this.#answered(answer));
    child.on('exit', () => {
      this.#child = undefined;
      for (const { reject } of this.#waiting.values()) reject(new Error('the starter of programs has ended'));
      this.#waiting.clear();
    });
    return child;
  }

  #answered({ id, fault, code, stdout, stderr }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // No caller waits for it: it keeps no process alive.
    if (this.#waiting.size === 0) this.#child?.channel?.unref();
    if (fault !== null) waiting?.reject(new Error(fault));
    else waiting?.resolve({ code, stdout, stderr });
  }
}

export const starter = new Starter();
