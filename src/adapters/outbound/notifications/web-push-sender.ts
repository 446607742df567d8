import webPush from 'web-push';
import type { PushKeys, PushSender, VapidKeys } from '../../../application/ports/events/push-sender.ts';
import { InvalidInput } from '../../../domain/base/errors.ts';
import { HOUR, SECOND } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';
import { webhookUrl } from '../../../domain/events/webhook.ts';
import type { HttpPoster } from './http-poster.ts';

/** How long a push service keeps a message for a browser that is away. */
const KEPT_S = (4 * HOUR) / SECOND;
/** The contact for push services; it has to be an https: or mailto: address. */
const NOBODY = 'mailto:nobody@drover.invalid';

interface Deps {
  readonly poster: HttpPoster;
  readonly allowPrivate: boolean;
  readonly publicUrl: string | null;
}

/** The library encrypts and signs; the request is Drover's own, so that it connects only to allowed addresses. */
export class WebPushSender implements PushSender {
  readonly #deps: Deps;
  readonly #subject: string;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#subject = deps.publicUrl?.startsWith('https://') ? deps.publicUrl : NOBODY;
  }

  makeKeys(): VapidKeys {
    return webPush.generateVAPIDKeys();
  }

  check({ endpoint, p256dh, auth }: PushKeys): void {
    const url = webhookUrl(endpoint, { allowPrivate: this.#deps.allowPrivate });
    if (url.protocol !== 'https:' && !this.#deps.allowPrivate)
      throw new InvalidInput([
        { path: '/endpoint', message: 'The address of a push service starts with https://.' },
      ]);
    try {
      const { publicKey, privateKey } = this.makeKeys();
      this.#request({ endpoint, p256dh, auth }, { publicKey, privateKey }, '{}');
    } catch {
      throw new InvalidInput([{ path: '/keys', message: 'These keys cannot be used to encrypt a message.' }]);
    }
  }

  send(...[{ subscription, vapid, payload }, signal]: Parameters<PushSender['send']>): Promise<Attempt> {
    const { headers, body } = this.#request(subscription, vapid, payload);
    const gone = [404, 410];
    return this.#deps.poster.post({ url: subscription.endpoint, headers, body, gone }, signal);
  }

  #request(
    { endpoint, p256dh, auth }: PushKeys,
    vapid: VapidKeys,
    payload: string,
  ): { headers: Record<string, string>; body: Buffer } {
    const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
      TTL: KEPT_S,
      vapidDetails: { subject: this.#subject, ...vapid },
    });
    return { headers, body };
  }
}
