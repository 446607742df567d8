import { randomUUID } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Got, got, type Response } from 'got';
import { API_PREFIX } from '../api/operation.ts';
import type { RestRequest } from './rest-request.ts';

/**
 * Why a call to the service brought no answer of the service's own. These codes are the adapter's: the service itself
 * never sends them.
 */
export type FailureCode =
  | 'service_unreachable'
  | 'service_timeout'
  | 'service_not_trusted'
  | 'reply_not_understood'
  | 'reply_too_large'
  | 'cancelled';

/** The status that a proxy would answer in the same situation. */
const STATUS = {
  service_unreachable: 503,
  service_timeout: 504,
  service_not_trusted: 502,
  reply_not_understood: 502,
  reply_too_large: 502,
  cancelled: 499,
} as const satisfies Record<FailureCode, number>;

/** The message is one sentence for agents and people, and never contains the token. */
export class CallFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string) {
    super(detail);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** Connections at a time; further calls wait for one. */
const MAX_CONNECTIONS = 16;

/** Times in milliseconds. Agents' clients give a tool a minute: this adapter has to report the error before that. */
const CONNECT_WITHIN = 5_000;
const ANSWER_WITHIN = 50_000;
const FIRST_RETRY_AFTER = 200;
const MAX_RETRIES = 2;

/**
 * The largest reply that is taken, in bytes. It is in the tool's result twice, and the protocol's own clients close the
 * connection on a message of more than 10 MB.
 */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;

/**
 * Faults of the way to the service, after which the same request is sent again. A reset may hit a request that was
 * already acted on: reads bear that, and posts carry a key by which the service knows them again.
 */
const RETRIED_FAULTS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENETUNREACH',
  'EHOSTUNREACH',
];

/** An answer of the service: a JSON object, whatever the status. */
export interface RestReply {
  readonly status: number;
  readonly body: object;
}

export interface ServiceClientOptions {
  /** Scheme, host and port. */
  readonly url: string;
  readonly token: string;
  /** Certificates in PEM; where given, these authorities alone are believed. */
  readonly ca: string | null;
  readonly userAgent: string;
}

/** Calls the service with a token. The token goes to the configured origin and nowhere else: redirects are not followed. */
export class ServiceClient {
  readonly url: string;
  readonly #got: Got;
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent };

  constructor({ url, token, ca, userAgent }: ServiceClientOptions) {
    this.url = url;
    const keep = { keepAlive: true, maxSockets: MAX_CONNECTIONS, scheduling: 'lifo' } as const;
    this.#agents = { http: new HttpAgent(keep), https: new HttpsAgent(keep) };
    this.#got = got.extend({
      agent: this.#agents,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': userAgent },
      https: ca === null ? {} : { certificateAuthority: ca },
      timeout: { lookup: CONNECT_WITHIN, connect: CONNECT_WITHIN, secureConnect: CONNECT_WITHIN },
      retry: {
        limit: MAX_RETRIES,
        methods: ['GET', 'POST'],
        statusCodes: [],
        errorCodes: RETRIED_FAULTS,
        enforceRetryRules: true,
        calculateDelay: ({ attemptCount }) => FIRST_RETRY_AFTER * attemptCount ** 2,
      },
      followRedirect: false,
      throwHttpErrors: false,
      decompress: false,
      responseType: 'buffer',
    });
  }

  /** Throws `CallFailure` if there was no answer from the service. Aborted, it throws `cancelled`. */
  async send(
    { method, path, json, key, prefix, headers }: RestRequest,
    signal: AbortSignal,
  ): Promise<RestReply> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_WITHIN);
    const cancel = (): void => late.abort();
    signal.addEventListener('abort', cancel);
    let tooLarge = false;
    try {
      if (signal.aborted) late.abort();
      const keyed = method === 'POST' && prefix === undefined;
      const sent = this.#got(`${this.url}${prefix ?? API_PREFIX}${path}`, {
        method,
        ...(prefix === undefined ? {} : { retry: { limit: 0 } }),
        signal: late.signal,
        ...(json === undefined ? {} : { json }),
        headers: { ...headers, ...(keyed ? { 'idempotency-key': key ?? randomUUID() } : {}) },
      });
      void sent.on('downloadProgress', ({ transferred }) => {
        if (transferred <= MAX_REPLY_BYTES) return;
        tooLarge = true;
        late.abort();
      });
      return this.#read((await sent) as unknown as Response<Buffer>);
    } catch (error) {
      if (error instanceof CallFailure) throw error;
      if (tooLarge) throw replyTooLarge();
      if (signal.aborted) throw new CallFailure('cancelled', 'The call was cancelled.');
      throw failureOf(error, this.url, late.signal.aborted);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  #read({ statusCode, headers, body }: Response<Buffer>): RestReply {
    const value = /^application\/(problem\+)?json\b/.test(headers['content-type'] ?? '')
      ? parsed(body)
      : undefined;
    if (typeof value === 'object' && value !== null) return { status: statusCode, body: value };
    // Gateways answer so while the service starts or is down.
    if (statusCode >= 500 || statusCode === 429) {
      throw new CallFailure(
        'service_unreachable',
        `Something before the service at ${this.url} answers with status ${statusCode}; the service itself cannot be reached. Try again later.`,
      );
    }
    const redirected = statusCode >= 300 && statusCode < 400;
    throw new CallFailure(
      'reply_not_understood',
      `${this.url} answers with status ${statusCode}, but not as Drover does${redirected ? ' (redirects are not followed)' : ''}; check SERVICE_URL.`,
    );
  }

  /** Ends all connections. */
  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}

const replyTooLarge = (): CallFailure =>
  new CallFailure(
    'reply_too_large',
    `The reply is larger than ${MAX_REPLY_BYTES} bytes; ask for less, with a filter or a small limit.`,
  );

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Common names of network errors; others are shown by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ENETUNREACH: 'there is no network to it',
  EHOSTUNREACH: 'there is no way to the host',
  ETIMEDOUT: 'it does not answer',
};

/** OpenSSL's codes for certificates, as Node gives them: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const UNTRUSTED = /CERT|UNABLE_TO_|INVALID_CA|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE|HOSTNAME_MISMATCH/;

/** Both ends speak, but not the same: TLS to a port without, or HTTP to a port with. */
const OTHER_PROTOCOL = /^(EPROTO|ERR_SSL_|HPE_)/;

/** Why a request failed, without anything that the request carried. `late`: the time for an answer had run out. */
function failureOf(error: unknown, url: string, late: boolean): CallFailure {
  const code = codeOf(error);
  if (late) {
    return new CallFailure(
      'service_timeout',
      `The service at ${url} did not answer in time. The request may still be carried out; check before you repeat it.`,
    );
  }
  if (UNTRUSTED.test(code)) {
    return new CallFailure(
      'service_not_trusted',
      `The certificate of ${url} cannot be trusted (${code}); name the file with its authority's certificate in SERVICE_CA_FILE.`,
    );
  }
  if (OTHER_PROTOCOL.test(code)) {
    return new CallFailure(
      'reply_not_understood',
      `${url} does not speak ${url.startsWith('https:') ? 'HTTPS' : 'HTTP'} (${code}); check scheme and port of SERVICE_URL.`,
    );
  }
  return new CallFailure(
    'service_unreachable',
    `The service at ${url} cannot be reached: ${WORDS[code] ?? code}. Try again later.`,
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown fault';
}
