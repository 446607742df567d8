import { createHmac } from 'node:crypto';
import type { WebhookMessage, WebhookSender } from '../../../application/ports/events/webhook-sender.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import type { HttpPoster } from './http-poster.ts';

interface Deps {
  readonly poster: HttpPoster;
}

/** Standard Webhooks 1.0, https://www.standardwebhooks.com. */
export class HttpWebhookSender implements WebhookSender {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  send(message: WebhookMessage, signal: AbortSignal): Promise<Attempt> {
    const { url, secrets, id, at, body } = message;
    const timestamp = Math.floor(at / SECOND);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${timestamp}.${body}`)).join(' '),
    };
    return this.#deps.poster.post({ url, headers, body, gone: [410] }, signal);
  }
}

const signature = (secret: string, signed: string): string => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
};
