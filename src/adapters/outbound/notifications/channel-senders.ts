import type { ChannelSender, ChannelTarget, Sent } from '../../../application/ports/events/channel-sender.ts';
import { BrokerRefused, type MessageBroker } from '../../../application/ports/events/message-broker.ts';
import { withDefaults } from '../../../domain/events/channels/channel-fields.ts';
import type {
  BrokerKind,
  ChannelReply,
  ChannelRequest,
  HttpKind,
} from '../../../domain/events/channels/channel-kind.ts';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  isChannelKind,
} from '../../../domain/events/channels/channel-kinds.ts';
import type { ChannelMessage } from '../../../domain/events/channels/channel-message.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { answerWords, type HttpPoster, type Verdict } from './http-poster.ts';
import type { SmtpSender } from './smtp-sender.ts';

interface Deps {
  readonly poster: Pick<HttpPoster, 'post'>;
  readonly smtp: Pick<SmtpSender, 'send'>;
  readonly broker: MessageBroker;
}

/** Sends messages as the table of kinds describes them. */
export class ChannelSenders implements ChannelSender {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async send(target: ChannelTarget, message: ChannelMessage, signal: AbortSignal): Promise<Sent> {
    if (!isChannelKind(target.kind)) return withoutRef(UNKNOWN_KIND);
    const kind: ChannelKind = CHANNEL_KINDS[target.kind];
    const whole = { ...target, values: withDefaults(kind, target.values) };
    if ('mail' in kind) return withoutRef(await this.#deps.smtp.send(kind, { ...whole, message }, signal));
    if ('everyMs' in kind) return withoutRef(await this.call(target, signal));
    if ('broker' in kind) return withoutRef(await this.#try(kind, whole, message, signal));
    let ref: string | null = null;
    const request = kind.request(whole.values, message);
    const attempt = await this.#post(whole, request, signal, (reply) => {
      ref = kind.inPlace?.refOf(reply, message) ?? null;
      return verdictOf(kind, reply);
    });
    return { ...attempt, ref: attempt.result === 'delivered' ? ref : null };
  }

  async replace(
    target: ChannelTarget,
    ref: string,
    message: ChannelMessage,
    signal: AbortSignal,
  ): Promise<Attempt | null> {
    const kind: ChannelKind | undefined = isChannelKind(target.kind) ? CHANNEL_KINDS[target.kind] : undefined;
    if (!kind || !('request' in kind) || !kind.inPlace) return null;
    const { inPlace } = kind;
    const whole = { ...target, values: withDefaults(kind, target.values) };
    let isMissing = false;
    const request = inPlace.request(whole.values, ref, message);
    const attempt = await this.#post(whole, request, signal, (reply) => {
      isMissing = inPlace.isMissing(reply);
      return inPlace.isSame?.(reply) ? { error: null } : verdictOf(kind, reply);
    });
    return isMissing ? null : attempt;
  }

  async call(target: ChannelTarget, signal: AbortSignal): Promise<Attempt> {
    const kind: ChannelKind | undefined = isChannelKind(target.kind) ? CHANNEL_KINDS[target.kind] : undefined;
    if (!kind || !('everyMs' in kind)) return UNKNOWN_KIND;
    const { values, allowPrivate } = target;
    return this.#deps.poster.post(
      {
        method: 'GET',
        url: kind.url(values),
        headers: {},
        gone: [],
        allowPrivate,
        judge: ({ status }) => {
          if (status >= 200 && status < 300) return { error: null };
          const hint = kind.hint(status);
          return { error: hint === null ? answerWords(status) : `${answerWords(status)} ${hint}` };
        },
      },
      signal,
    );
  }

  /** Sends a message that nothing reads, under a name that no lasting connection has. */
  async #try(
    kind: BrokerKind,
    { values, allowPrivate }: ChannelTarget,
    { id, title }: ChannelMessage,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const began = performance.now();
    const attempt = (error: string | null): Attempt => ({
      result: error === null ? 'delivered' : 'failed',
      statusCode: null,
      durationMs: Math.round(performance.now() - began),
      error,
      retryAfterMs: null,
    });
    try {
      const target = { ...kind.broker(values), allowPrivate };
      const terms = { clientId: `drover-test-${id}`, topics: [kind.testTopic(values)] };
      const connection = await this.#deps.broker.connect(target, terms, signal);
      try {
        await connection.publish(kind.testTopic(values), title, false);
      } finally {
        await connection.close();
      }
      return attempt(null);
    } catch (error) {
      if (!(error instanceof BrokerRefused)) throw error;
      return attempt(error.message);
    }
  }

  #post(
    { allowPrivate }: ChannelTarget,
    { method, url, headers, body }: ChannelRequest,
    signal: AbortSignal,
    judge: (reply: ChannelReply) => Verdict,
  ): Promise<Attempt> {
    const isForm = body instanceof URLSearchParams;
    return this.#deps.poster.post(
      {
        ...(method && { method }),
        url,
        headers: {
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
          ...headers,
        },
        body: isForm ? body.toString() : JSON.stringify(body),
        gone: [],
        allowPrivate,
        judge: ({ status, body: text }) =>
          // An answer that is too long to be read was at least an answer: a repeated message is worse than a missed fault.
          text === null && isSuccess(status)
            ? { error: null }
            : judge({ status, text: text ?? '', json: objectOf(text) }),
      },
      signal,
    );
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const withoutRef = (attempt: Attempt): Sent => ({ ...attempt, ref: null });

/** A newer version added the channel. */
const UNKNOWN_KIND: Attempt = {
  result: 'failed',
  statusCode: null,
  durationMs: 0,
  error: 'This version of Drover does not know channels of this kind.',
  retryAfterMs: null,
};

function verdictOf(kind: HttpKind, reply: ChannelReply): Verdict {
  const { status } = reply;
  if (isSuccess(status) && kind.isTaken(reply)) return { error: null };
  const words = isSuccess(status)
    ? `It answered ${status}, but not as ${kind.title} does.`
    : answerWords(status);
  const hint = kind.hint(reply) ?? (isSuccess(status) ? 'Check the address.' : null);
  return {
    error: hint === null ? words : `${words} ${hint}`,
    retryAfterMs: kind.retryAfterMs?.(reply) ?? null,
  };
}

function objectOf(body: string | null): ChannelReply['json'] {
  try {
    const value: unknown = JSON.parse(body ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
