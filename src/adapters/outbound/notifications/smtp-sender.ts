import { isIP } from 'node:net';
import { SECOND } from '../../../domain/base/instant.ts';
import type { FieldValues, SmtpKind } from '../../../domain/events/channels/channel-kind.ts';
import type { ChannelMessage } from '../../../domain/events/channels/channel-message.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { limitedSignal } from '../hosts/shell/when-aborted.ts';
import { AddressRefused, allowedAddress, type Resolve, systemResolve } from './guarded-lookup.ts';

const LIMIT_MS = 15 * SECOND;

interface Deps {
  /** For all mail servers. */
  readonly allowPrivate: boolean;
  /** The system's, except in tests. */
  readonly resolve?: Resolve;
  /** Authorities that sign certificates, beside the system's; for tests. */
  readonly ca?: string;
}

interface SmtpMessage {
  readonly values: FieldValues;
  readonly allowPrivate: boolean;
  readonly message: ChannelMessage;
}

/** Sends e-mail over SMTP, only to allowed addresses, one connection for each message. */
export class SmtpSender {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Never throws. */
  async send(kind: SmtpKind, sent: SmtpMessage, signal: AbortSignal): Promise<Attempt> {
    const began = performance.now();
    const late = new Error('no answer in time');
    const limited = limitedSignal(signal, LIMIT_MS, () => late);
    const outcome = (error: string | null, statusCode: number | null): Attempt => ({
      result: error === null ? 'delivered' : 'failed',
      statusCode,
      durationMs: Math.round(performance.now() - began),
      error,
      retryAfterMs: null,
    });
    try {
      return outcome(null, await this.#deliver(kind, sent, limited.signal));
    } catch (error) {
      const hasRunOut = limited.signal.reason === late;
      const { responseCode = null } = error as { readonly responseCode?: number };
      return outcome(hasRunOut ? TOO_LATE : failureWords(error), responseCode);
    } finally {
      limited.release();
    }
  }

  async #deliver(kind: SmtpKind, { values, allowPrivate, message }: SmtpMessage, signal: AbortSignal) {
    const { host = '', security = 'starttls', port = PORTS[security], login, password } = values;
    const { resolve = systemResolve } = this.#deps;
    const address = await allowedAddress(host, resolve, allowPrivate || this.#deps.allowPrivate);
    // Only the service and tests of channels need it.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      // What was checked is what is connected to.
      host: address,
      port: Number(port),
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { servername: isIP(host) === 0 ? host : '', ...(this.#deps.ca ? { ca: this.#deps.ca } : {}) },
      ...(login === undefined ? {} : { auth: { user: login, pass: password ?? '' } }),
      connectionTimeout: LIMIT_MS,
      greetingTimeout: LIMIT_MS,
      socketTimeout: LIMIT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const { response } = await transport.sendMail({ ...kind.mail(values, message), signal });
      return Number(/^\d{3}/.exec(response)?.[0] ?? 250);
    } finally {
      transport.close();
    }
  }
}

const PORTS: Readonly<Record<string, string>> = { starttls: '587', tls: '465', none: '25' };

const TOO_LATE = 'The mail server did not answer in time.';
const FAILED = 'The connection to the mail server failed.';

const WORDS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the user name or password.',
  ENOAUTH: 'The mail server requires a user name and password.',
  ETLS: 'The connection could not be encrypted: check the port, the encryption and the certificate of the mail server.',
  EENVELOPE: 'The mail server refused the sender or a recipient.',
  EMESSAGE: 'The mail server refused the message.',
  EPROTOCOL: 'It does not speak SMTP at this port, or expects another encryption.',
  ETIMEDOUT: TOO_LATE,
  ECONNREFUSED: 'The mail server refuses connections at this port.',
  ENOTFOUND: 'The name of the mail server cannot be resolved.',
  EDNS: 'The name of the mail server cannot be resolved.',
  ECONNECTION: FAILED,
  ESOCKET: 'The connection to the mail server failed: check the port, the encryption and the certificate.',
};

/** In Drover's words: an answer of the server may contain what it was sent. */
function failureWords(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const {
    code = '',
    responseCode,
    cause,
  } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly cause?: { readonly code?: string };
  };
  const words = WORDS[cause?.code ?? ''] ?? WORDS[code] ?? FAILED;
  return responseCode === undefined ? words : `It answered ${responseCode}. ${words}`;
}
