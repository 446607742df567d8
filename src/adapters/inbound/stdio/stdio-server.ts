import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { isDomainError } from '../../../domain/base/errors.ts';
import { parseJson } from '../api/strict-json.ts';
import { errorReply, type RequestId, RpcError, type RpcRequest, readMessage } from '../mcp/message.ts';
import { RPC } from '../mcp/protocol.ts';

/** The longest message that is taken, in bytes: as long as the hosted endpoint takes. */
const MAX_MESSAGE_LENGTH = 1024 * 1024;

/** Requests that are worked on at a time. Beyond, nothing more is read until one is answered. */
const MAX_RUNNING = 64;

/** Answers one message. Returns the reply as one line of JSON, or `null` if there is no reply. */
export type Answer = (value: unknown, signal: AbortSignal) => Promise<string | null>;

/**
 * MCP over a pair of streams: one JSON-RPC message a line, each answered when it is ready. See
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export class StdioServer {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #answer: Answer;
  readonly #underWay = new Map<RequestId, AbortController>();
  readonly #tasks = new Set<Promise<void>>();
  /** Ends the waits for lines to be written. */
  readonly #writing = new Set<() => void>();
  readonly #stopped = new AbortController();
  #ending = false;

  constructor(input: Readable, output: Writable, answer: Answer) {
    this.#input = input;
    this.#output = output;
    this.#answer = answer;
    // The reader is gone: remaining replies and work are useless.
    output.on('error', () => this.stop());
  }

  /** Answers until the input ends, and until all that came in is answered and written; or until it is stopped. */
  async run(): Promise<void> {
    try {
      for await (const line of linesOf(this.#input, MAX_MESSAGE_LENGTH)) {
        if (this.#ending) break;
        this.#take(line);
        while (this.#tasks.size >= MAX_RUNNING) await Promise.race(this.#tasks);
      }
    } catch (error) {
      // Reading from a closed stream throws.
      if (!this.#ending) throw error;
    }
    await Promise.all(this.#tasks);
  }

  /** Stops reading; received messages are still answered. */
  end(): void {
    this.#ending = true;
    this.#input.destroy();
  }

  /** Stops reading, aborts running calls, and writes nothing more. */
  stop(): void {
    this.end();
    this.#stopped.abort();
    for (const controller of this.#underWay.values()) controller.abort();
    for (const done of this.#writing) done();
  }

  /** Says something unasked. */
  async tell(message: string): Promise<void> {
    await this.#write(message);
  }

  #take(line: Buffer | typeof TOO_LONG): void {
    if (line !== TOO_LONG && isBlank(line)) return;
    const value = line === TOO_LONG ? tooLong() : parsed(line);
    if (value instanceof RpcError) {
      this.#begin(async () => this.#write(errorReply(null, value).body));
      return;
    }
    const message = readMessage(value);
    if (message.kind === 'request') this.#begin(() => this.#respond(message, value));
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      this.#cancel(value);
    } else this.#begin(async () => this.#write(await this.#answer(value, this.#stopped.signal)));
  }

  #begin(work: () => Promise<void>): void {
    const task = work().finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #respond({ id }: RpcRequest, value: unknown): Promise<void> {
    if (this.#underWay.has(id)) {
      const inUse = new RpcError(
        RPC.invalidRequest,
        'Invalid request: a request with this id is in progress',
      );
      await this.#write(errorReply(id, inUse).body);
      return;
    }
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    try {
      const reply = await this.#answer(value, controller.signal);
      // A client that cancels a request does not want to hear of it again.
      if (!controller.signal.aborted) await this.#write(reply);
    } finally {
      this.#underWay.delete(id);
    }
  }

  #cancel(value: unknown): void {
    const { requestId } = (value as { params?: { requestId?: RequestId } }).params ?? {};
    if (requestId !== undefined) this.#underWay.get(requestId)?.abort();
  }

  /** Returns when the line has left the process: a slow reader slows us down, and fills no memory. */
  async #write(line: string | null): Promise<void> {
    if (line === null || this.#stopped.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#writing.delete(done);
        resolve();
      };
      this.#writing.add(done);
      this.#output.write(`${line}\n`, done);
    });
  }
}

function parsed(line: Buffer): unknown {
  if (!isUtf8(line)) return parseError('The message is not valid UTF-8.');
  try {
    return parseJson(line.toString('utf8'));
  } catch (error) {
    if (isDomainError(error, 'invalid_json')) return parseError(error.message);
    throw error;
  }
}

const parseError = (detail: string): RpcError => new RpcError(RPC.parseError, `Parse error: ${detail}`);

const tooLong = (): RpcError =>
  new RpcError(RPC.invalidRequest, `Invalid request: the message is longer than ${MAX_MESSAGE_LENGTH} bytes`);

const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 13 || byte === 32 || byte === 9);

const NEWLINE = 10;

/** A line that was too long; its content is lost. */
export const TOO_LONG = Symbol('too long');

/**
 * Splits a stream of bytes at its newlines, which are not part of the lines. A line longer than `longest` bytes is
 * dropped. Text after the last newline is a line too, unless it is empty.
 */
export async function* linesOf(
  input: Readable,
  longest: number,
): AsyncGenerator<Buffer | typeof TOO_LONG, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > longest) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): Buffer | typeof TOO_LONG => {
    const line = length > longest ? TOO_LONG : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
