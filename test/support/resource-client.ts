import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { SOCKET_VARIABLE } from './resource-server.ts';

const Reply = z.object({ id: z.int(), result: z.unknown().optional(), error: z.string().optional() });

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One connection to the run's shared resources. Closing it, or dying, releases everything that it holds. */
export class ResourceClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor() {
    const path = process.env[SOCKET_VARIABLE];
    if (!path) {
      throw new Error('shared resources are for *.sql.test.ts, *.fleet.test.ts and *.e2e.test.ts files only');
    }
    this.#socket = connect(path);
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the test run is over')));
    createInterface(this.#socket).on('line', (line) => this.#settle(line));
    this.#socket.unref();
  }

  async ask<T>(method: string, answer: z.ZodType<T>, parameter: unknown = null): Promise<T> {
    const id = ++this.#lastId;
    this.#socket.ref();
    const result = await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ id, method, parameter })}\n`);
    });
    return answer.parse(result);
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(line: string): void {
    const { id, result, error } = Reply.parse(JSON.parse(line));
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.unref();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  #fail(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
