import type { Attempt } from '../../../domain/events/delivery.ts';

/** As browsers give it out. */
export interface PushKeys {
  readonly endpoint: string;
  /** Base64url. */
  readonly p256dh: string;
  readonly auth: string;
}

/** By which push services know who sends. Base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Web Push (RFC 8030, 8291, 8292). */
export interface PushSender {
  makeKeys(): VapidKeys;
  /** Throws `invalid_input` for keys that nothing can be encrypted for, and addresses that no message may go to. */
  check(subscription: PushKeys): void;
  /** Encrypts and sends, once, under the rules of `WebhookSender`. A subscription that no longer exists is `gone`. */
  send(
    message: { readonly subscription: PushKeys; readonly vapid: VapidKeys; readonly payload: string },
    signal: AbortSignal,
  ): Promise<Attempt>;
}
