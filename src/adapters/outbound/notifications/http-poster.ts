import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Got, got } from 'got';
import { SECOND } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { isIpLiteral } from '../../../domain/events/outbound-address.ts';
import { hostOf } from '../../../domain/events/webhook.ts';
import { limitedSignal } from '../hosts/shell/limited-signal.ts';
import { answerWords, codeOf, failureWords } from './failure-words.ts';
import { guardedLookup, type Lookup, type Resolve, refuse, systemResolve } from './guarded-lookup.ts';

/** From looking up the name to the status of the answer. */
const LIMIT_MS = 15 * SECOND;
/** An answer's body is read only so that its connection can be used again. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_ANSWER_MS = SECOND;
const IDLE_MS = 20 * SECOND;

export interface PosterOptions {
  readonly allowPrivate: boolean;
  /** The system's, unless a test has its own. */
  readonly resolve?: Resolve;
  readonly limitMs?: number;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Statuses that say that the receiver is gone for good. */
  readonly gone: readonly number[];
}

/** Posts to receivers that outsiders chose: only to public addresses, with limits, and without following anybody. */
export class HttpPoster {
  readonly #got: Got;
  readonly #agents: { readonly http: Agent; readonly https: HttpsAgent };
  readonly #allowPrivate: boolean;
  readonly #limitMs: number;

  constructor({ allowPrivate, resolve = systemResolve, limitMs = LIMIT_MS }: PosterOptions) {
    this.#allowPrivate = allowPrivate;
    this.#limitMs = limitMs;
    const options = { keepAlive: true, maxSockets: 4, maxFreeSockets: 64, timeout: IDLE_MS };
    this.#agents = { http: new Agent(options), https: new HttpsAgent(options) };
    const lookup: Lookup = guardedLookup(resolve, allowPrivate);
    this.#got = got.extend({
      agent: this.#agents,
      dnsLookup: lookup as never,
      followRedirect: false,
      retry: { limit: 0 },
      throwHttpErrors: false,
      decompress: false,
      headers: { 'user-agent': 'Drover' },
    });
  }

  /** Ends idle connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
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
      await drain(answer.stream);
      return attemptOf(answer.status, durationMs, answer.retryAfter, post.gone);
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

  async #answer(post: Post, signal: AbortSignal): Promise<Answer> {
    const host = hostOf(new URL(post.url));
    if (isIpLiteral(host)) refuse(host, host, this.#allowPrivate);
    return this.#send(post, signal).catch((error: unknown) => {
      // The receiver closed an idle connection just when it was used again: that is no refusal.
      if (error instanceof StaleConnection) return this.#send(post, signal);
      throw error;
    });
  }

  #send({ url, headers, body }: Post, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let request: ClientRequest | null = null;
      const stream = this.#got.stream.post(url, { headers, body, signal });
      stream.on('request', (made: ClientRequest) => {
        request = made;
      });
      stream.once('response', (answer: IncomingMessage) => {
        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], stream });
      });
      // Also for those that come after the answer, which nobody waits for.
      stream.on('error', (error) => {
        const stale = request?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
        reject(stale ? new StaleConnection() : error);
      });
    });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly stream: Duplex;
}

class StaleConnection extends Error {}

/** Reads a short answer to its end; cuts a long or slow one off. */
async function drain(stream: Duplex): Promise<void> {
  let bytes = 0;
  const late = setTimeout(() => stream.destroy(), MAX_ANSWER_MS);
  try {
    for await (const chunk of stream) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status is what counts, and that came.
  } finally {
    clearTimeout(late);
    stream.destroy();
  }
}

function attemptOf(
  status: number,
  durationMs: number,
  retryAfter: string | undefined,
  gone: readonly number[],
): Attempt {
  if (status >= 200 && status < 300)
    return { result: 'delivered', statusCode: status, durationMs, error: null, retryAfterMs: null };
  return {
    result: gone.includes(status) ? 'gone' : 'failed',
    statusCode: status,
    durationMs,
    error: answerWords(status),
    retryAfterMs: retryAfterOf(retryAfter, Date.now()),
  };
}

/** Seconds, or a date (RFC 9110, 10.2.3). What is neither is not heard. */
function retryAfterOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
