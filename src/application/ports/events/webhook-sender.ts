import type { Instant } from '../../../domain/base/instant.ts';
import type { Attempt } from '../../../domain/events/delivery.ts';

export interface WebhookMessage {
  readonly url: string;
  /** Each of them signs. */
  readonly secrets: readonly string[];
  /** The same at each try. */
  readonly id: string;
  /** Of this attempt. */
  readonly at: Instant;
  readonly body: string;
}

/**
 * Posts a message, once, as Standard Webhooks 1.0 specifies. Connects only to allowed addresses, follows no redirect,
 * waits 15 seconds at most, and returns nothing of the response but its status. Never throws.
 */
export interface WebhookSender {
  send(message: WebhookMessage, signal: AbortSignal): Promise<Attempt>;
}
