import { type ChildProcess, fork } from 'node:child_process';
import type { DatabaseOptions } from '../../src/adapters/outbound/storage/sql/database.ts';
import { bundled } from '../support/bundled.ts';
import { kill } from '../support/processes.ts';

export interface ChildRequest {
  readonly id: number;
  readonly command: string;
  readonly argument: unknown;
}

interface ChildReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Another process on the same database. */
export class JobProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (reply: ChildReply) => this.#settle(reply));
    child.on('exit', (code, signal) => this.#ended(new Error(`the process ended: ${code ?? signal}`)));
  }

  static async start(file = './jobs-child.ts'): Promise<JobProcess> {
    const started = new JobProcess(fork(await bundled(new URL(file, import.meta.url))));
    await started.#reply(0);
    return started;
  }

  async open(address: DatabaseOptions): Promise<void> {
    await this.call('open', address);
  }

  async call<T>(command: string, argument: unknown): Promise<T> {
    const id = ++this.#lastId;
    const reply = this.#reply(id);
    this.#child.send({ id, command, argument } satisfies ChildRequest);
    return (await reply) as T;
  }

  /** SIGKILL, in the middle of its work; unanswered calls are rejected. */
  async kill(): Promise<void> {
    await kill(this.#child);
  }

  #reply(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #settle({ id, result, error }: ChildReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  #ended(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
