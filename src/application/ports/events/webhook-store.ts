import type { Instant } from '../../../domain/base/instant.ts';
import type { NewWebhook, Webhook, WebhookChange } from '../../../domain/events/webhook.ts';
import type { ChangeRecord } from './change-record.ts';

/** The encrypted fields of a webhook; encryption is bound to the webhook's id. */
export interface WebhookSeals {
  readonly sealedUrl: string;
  readonly sealedSecret: string;
}

/** Receivers of events, of which there are few. */
export interface WebhookStore {
  /** Throws `name_taken`. */
  add(
    webhook: NewWebhook,
    seal: (id: number) => WebhookSeals,
    record: (webhook: Webhook) => ChangeRecord,
  ): Promise<Webhook>;
  find(id: number): Promise<Webhook | null>;
  findByName(name: string): Promise<Webhook | null>;
  /** All, by name. */
  list(): Promise<readonly Webhook[]>;
  /**
   * Changes only the given fields. Disabling a webhook deletes its pending deliveries, in the same transaction.
   * Throws `webhook_not_found`, `name_taken`.
   */
  change(
    id: number,
    change: WebhookChange,
    at: Instant,
    record: (webhook: Webhook) => ChangeRecord,
  ): Promise<Webhook>;
  /** Includes past and pending deliveries. Throws `webhook_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
