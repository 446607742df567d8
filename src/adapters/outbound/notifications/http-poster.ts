import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Got, got } from 'got';
import { SECOND } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { hostOf } from '../../../domain/events/webhook.ts';
import { limitedSignal } from '../hosts/shell/when-aborted.ts';
import {
  AddressRefused,
  guardedLookup,
  type Lookup,
  type Resolve,
  refuseLiteral,
  systemResolve,
} from './guarded-lookup.ts';

/** From looking up the name to the status of the answer. */
const LIMIT_MS = 15 * SECOND;
/** An answer's body is read only so that its connection can be used again. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_ANSWER_MS = SECOND;
const IDLE_MS = 20 * SECOND;

export interface PosterOptions {
  readonly allowPrivate: boolean;
  /** The system's, except in tests. */
  readonly resolve?: Resolve;
  readonly limitMs?: number;
}

export interface Post {
  /** By default POST. */
  readonly method?: 'PUT' | 'PATCH' | 'GET';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** GET has none. */
  readonly body?: string | Buffer;
  /** Statuses of a receiver that is permanently gone. */
  readonly gone: readonly number[];
  /** Also private addresses, whatever the poster's own rule is. */
  readonly allowPrivate?: boolean;
  /** By default the status alone decides. */
  readonly judge?: (reply: PostReply) => Verdict;
}

/** A request whose answer is read whole. */
interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Also private addresses, whatever the poster's own rule is. */
  readonly allowPrivate: boolean;
  readonly maxBytes: number;
}

interface ExchangeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface PostReply {
  readonly status: number;
  /** `null` if it was too long or slow. */
  readonly body: string | null;
}

export interface Verdict {
  /** `null`: the message was taken. */
  readonly error: string | null;
  readonly retryAfterMs?: number | null;
}

/**
 * Posts to receivers that outsiders chose: only to public addresses, with limits, and without following redirects.
 */
export class HttpPoster {
  readonly #public: Client;
  /** Has connections of its own: one to a private address is never used for a post that may not go there. */
  readonly #private: Client;
  readonly #limitMs: number;

  constructor({ allowPrivate, resolve = systemResolve, limitMs = LIMIT_MS }: PosterOptions) {
    this.#limitMs = limitMs;
    this.#private = clientOf(guardedLookup(resolve, true), true);
    this.#public = allowPrivate ? this.#private : clientOf(guardedLookup(resolve, false), false);
  }

  /** Ends idle connections. */
  close(): void {
    for (const { agents } of [this.#public, this.#private]) {
      agents.http.destroy();
      agents.https.destroy();
    }
  }

  /** Never throws. */
  async post(post: Post, signal: AbortSignal): Promise<Attempt> {
    const began = performance.now();
    const late = new Error('no answer in time');
    const limited = limitedSignal(signal, this.#limitMs, () => late);
    const took = (): number => Math.round(performance.now() - began);
    try {
      const answer = await this.#answer(post, limited.signal);
      const durationMs = took();
      const body = await bodyOf(answer.stream);
      return attemptOf(post, { ...answer, body, durationMs });
    } catch (error) {
      return {
        result: 'failed',
        statusCode: null,
        durationMs: took(),
        error: failureWords(error, limited.signal.reason === late),
        retryAfterMs: null,
      };
    } finally {
      limited.release();
    }
  }

  /** Throws an `Error` whose message says why there was no answer, in Drover's words. */
  async exchange({ maxBytes, ...request }: Exchange): Promise<ExchangeReply> {
    const late = new Error('no answer in time');
    const limited = limitedSignal(undefined, this.#limitMs, () => late);
    try {
      const { status, headers, stream } = await this.#answer(request, limited.signal);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stream) {
        chunks.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes > maxBytes) throw new AddressRefused(`It answered with more than ${maxBytes} bytes.`);
      }
      return { status, headers, body: Buffer.concat(chunks) };
    } catch (error) {
      throw new Error(failureWords(error, limited.signal.reason === late), { cause: error });
    } finally {
      limited.release();
    }
  }

  async #answer(post: OutgoingRequest, signal: AbortSignal): Promise<Answer> {
    const client = post.allowPrivate ? this.#private : this.#public;
    refuseLiteral(hostOf(new URL(post.url)), client.allowPrivate);
    return send(client, post, signal).catch((error: unknown) => {
      // The receiver closed an idle connection just when it was used again: that is no refusal.
      if (error instanceof StaleConnection) return send(client, post, signal);
      throw error;
    });
  }
}

interface OutgoingRequest extends Pick<Post, 'url' | 'headers' | 'allowPrivate'> {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly body?: Post['body'] | undefined;
}

interface Client {
  readonly got: Got;
  readonly agents: { readonly http: Agent; readonly https: HttpsAgent };
  readonly allowPrivate: boolean;
}

function clientOf(lookup: Lookup, allowPrivate: boolean): Client {
  const options = { keepAlive: true, maxSockets: 4, maxFreeSockets: 64, timeout: IDLE_MS };
  const agents = { http: new Agent(options), https: new HttpsAgent(options) };
  const client = got.extend({
    agent: agents,
    dnsLookup: lookup as never,
    followRedirect: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
    decompress: false,
    headers: { 'user-agent': 'Drover' },
  });
  return { got: client, agents, allowPrivate };
}

function send({ got: client }: Client, post: OutgoingRequest, signal: AbortSignal): Promise<Answer> {
  const { method = 'POST', url, headers, body } = post;
  return new Promise((resolve, reject) => {
    let request: ClientRequest | null = null;
    const stream = client.stream(url, { method, headers, ...(body === undefined ? {} : { body }), signal });
    stream.on('request', (made: ClientRequest) => {
      request = made;
    });
    stream.once('response', (answer: IncomingMessage) => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, stream });
    });
    // Also for errors after the answer, which have no listener.
    stream.on('error', (error) => {
      const stale = request?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      reject(stale ? new StaleConnection() : error);
    });
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly stream: Duplex;
}

class StaleConnection extends Error {}

/** Reads a short answer to its end; cuts a long or slow one off, which is then `null`. */
async function bodyOf(stream: Duplex): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = setTimeout(() => stream.destroy(), MAX_ANSWER_MS);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) return null;
    }
    return Buffer.concat(chunks).toString();
  } catch {
    // The status is what counts, and it has arrived.
    return null;
  } finally {
    clearTimeout(late);
    stream.destroy();
  }
}

interface TimedAnswer extends PostReply, Pick<Answer, 'headers'> {
  readonly durationMs: number;
}

function attemptOf({ gone, judge = byStatus }: Post, answer: TimedAnswer): Attempt {
  const { status, durationMs } = answer;
  const { error, retryAfterMs } = judge(answer);
  if (error === null)
    return { result: 'delivered', statusCode: status, durationMs, error: null, retryAfterMs: null };
  return {
    result: gone.includes(status) ? 'gone' : 'failed',
    statusCode: status,
    durationMs,
    error,
    retryAfterMs: retryAfterMs ?? retryAfterOf(answer.headers['retry-after'], Date.now()),
  };
}

const byStatus = ({ status }: PostReply): Verdict => ({
  error: status >= 200 && status < 300 ? null : answerWords(status),
});

/** Seconds, or a date (RFC 9110, 10.2.3). Anything else is ignored. */
function retryAfterOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refuses connections.',
  ECONNRESET: 'It closed the connection.',
  EPIPE: 'It closed the connection.',
  ENOTFOUND: 'Its name cannot be resolved.',
  EAI_AGAIN: 'Its name cannot be resolved now.',
  EHOSTUNREACH: 'There is no route to it.',
  ENETUNREACH: 'There is no route to it.',
  ETIMEDOUT: 'It did not answer in time.',
};

/** Why there was no answer, in Drover's words: an error's may contain the address, which is a secret. */
function failureWords(error: unknown, hasRunOut: boolean): string {
  if (hasRunOut) return 'It did not answer in time.';
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof AddressRefused) return each.message;
  }
  const code = codeOf(error);
  if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code))
    return `Its certificate or encryption is invalid (${code}).`;
  if (code.startsWith('HPE_')) return 'It does not speak HTTP.';
  return WORDS[code] ?? `The connection failed${code === '' ? '' : ` (${code})`}.`;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : '';
}

/** A refusal in Drover's words. */
export function answerWords(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}, a redirect, which is not followed.`;
  return status === 410 ? 'It answered 410 Gone and accepts no more events.' : `It answered ${status}.`;
}
