import { formerSigns, receivers, type Webhook } from '../domain/webhook.ts';
import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';
import type { Clock } from './ports/clock.ts';
import type { SecretBox } from './ports/secret-box.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import type { WebhookStore } from './ports/webhook-store.ts';

export const webhookPlace = (column: 'url' | 'secret' | 'former_secret', row: number) => ({
  table: 'webhooks',
  column,
  row,
});

/** Messages to webhooks. */
export class WebhookChannel implements DeliveryChannel {
  readonly #webhooks: WebhookStore;
  readonly #sender: WebhookSender;
  readonly #box: SecretBox;
  readonly #clock: Clock;

  constructor(deps: { webhooks: WebhookStore; sender: WebhookSender; box: SecretBox; clock: Clock }) {
    this.#webhooks = deps.webhooks;
    this.#sender = deps.sender;
    this.#box = deps.box;
    this.#clock = deps.clock;
  }

  async open(targetId: number): Promise<OpenTarget | null> {
    const webhook = receivers(await this.#webhooks.list()).find(({ id }) => id === targetId);
    if (!webhook) return null;
    const url = this.#box.open(webhook.sealedUrl, webhookPlace('url', webhook.id));
    return {
      name: `webhook ${webhook.name}`,
      send: ({ event, body }, signal) => {
        const at = this.#clock.now();
        return this.#sender.send({ url, secrets: this.#secrets(webhook), id: event.uid, at, body }, signal);
      },
      gone: async () => {
        const at = this.#clock.now();
        const off = { enabled: false, disabledBecause: 'gone', disabledAt: at } as const;
        await this.#webhooks.change(webhook.id, off, at, () => ({}));
      },
    };
  }

  #secrets(webhook: Webhook): readonly string[] {
    const { id, sealedSecret, sealedFormerSecret } = webhook;
    const secret = this.#box.open(sealedSecret, webhookPlace('secret', id));
    if (sealedFormerSecret === null || !formerSigns(webhook, this.#clock.now())) return [secret];
    return [secret, this.#box.open(sealedFormerSecret, webhookPlace('former_secret', id))];
  }
}
