import { type LookupAddress, type LookupOptions, promises } from 'node:dns';
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type Got, got } from 'got';
import { SECOND } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { isIpLiteral, outboundFault } from '../../../domain/events/outbound-address.ts';
import { hostOf } from '../../../domain/events/webhook.ts';
import { limitedSignal } from '../hosts/shell/when-aborted.ts';

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
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Statuses of a receiver that is permanently gone. */
  readonly gone: readonly number[];
}

/**
 * Posts to receivers that outsiders chose: only to public addresses, with limits, and without following redirects.
 */
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
      // Also for errors after the answer, which have no listener.
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
    // The status is what counts, and it has arrived.
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

/** Seconds, or a date (RFC 9110, 10.2.3). Anything else is ignored. */
function retryAfterOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'It refuses connections.',
  ECONNRESET: 'It broke the connection off.',
  EPIPE: 'It broke the connection off.',
  ENOTFOUND: 'Its name cannot be resolved.',
  EAI_AGAIN: 'Its name cannot be resolved now.',
  EHOSTUNREACH: 'There is no way to it.',
  ENETUNREACH: 'There is no way to it.',
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

function answerWords(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}, a redirect, which is not followed.`;
  return status === 410 ? 'It answered 410 Gone and accepts no more events.' : `It answered ${status}.`;
}

/** All addresses of a host name, as the system knows them. */
type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const systemResolve: Resolve = (host) => promises.lookup(host, { all: true, verbatim: true });

/** A place that the service does not connect to; its message is fit for the log of deliveries. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
type Lookup = (host: string, options: LookupOptions, callback: Callback) => Promise<void>;

/**
 * A `lookup` for connections that returns only allowed addresses, and none if any address of a name is not allowed.
 * The connection uses exactly its result: a later change of the name does not matter.
 */
function guardedLookup(resolve: Resolve, allowPrivate: boolean): Lookup {
  const answer = async (host: string, options: LookupOptions): Promise<Parameters<Callback>> => {
    try {
      const found = await checkedAddresses(host, resolve, allowPrivate);
      const wanted = found.filter(({ family }) => !options.family || family === options.family);
      const [first] = wanted;
      if (first === undefined) throw new AddressRefused(`${host} has no address.`);
      return options.all ? [null, wanted] : [null, first.address, first.family];
    } catch (error) {
      return [error as Error, ''];
    }
  };
  return async (host, options, callback) => callback(...(await answer(host, options)));
}

async function checkedAddresses(
  host: string,
  resolve: Resolve,
  allowPrivate: boolean,
): Promise<readonly LookupAddress[]> {
  const found = await resolve(host);
  for (const { address } of found) refuse(address, `${host} means ${address}, which`, allowPrivate);
  return found;
}

/** For hosts that are written as addresses: nothing is looked up for those. Throws `AddressRefused`. */
function refuse(address: string, subject: string, allowPrivate: boolean): void {
  const fault = outboundFault(address, { allowPrivate });
  if (fault !== null) throw new AddressRefused(`${subject} ${fault}.`);
}
