import { formerSigns, receivers, type Webhook } from '../../domain/events/webhook.ts';
import { UseCase } from '../base/use-case.ts';
import type { DeliveryChannel, OpenTarget } from './deliver-messages.ts';

export const webhookPlace = (column: 'url' | 'secret' | 'former_secret', row: number) => ({
  table: 'webhooks',
  column,
  row,
});

/** Messages to webhooks. */
export class WebhookChannel
  extends UseCase<'webhooks' | 'webhookSender' | 'box' | 'clock'>
  implements DeliveryChannel
{
  async open(targetId: number): Promise<OpenTarget | null> {
    const webhook = receivers(await this.deps.webhooks.list()).find(({ id }) => id === targetId);
    if (!webhook) return null;
    const url = this.deps.box.open(webhook.sealedUrl, webhookPlace('url', webhook.id));
    return {
      name: `webhook ${webhook.name}`,
      send: ({ event, body }, signal) => {
        const at = this.deps.clock.now();
        return this.deps.webhookSender.send(
          { url, secrets: this.#secrets(webhook), id: event.uid, at, body },
          signal,
        );
      },
      gone: async () => {
        const at = this.deps.clock.now();
        const off = { enabled: false, disabledBecause: 'gone', disabledAt: at } as const;
        await this.deps.webhooks.change(webhook.id, off, at, () => ({}));
      },
    };
  }

  #secrets(webhook: Webhook): readonly string[] {
    const { id, sealedSecret, sealedFormerSecret } = webhook;
    const secret = this.deps.box.open(sealedSecret, webhookPlace('secret', id));
    if (sealedFormerSecret === null || !formerSigns(webhook, this.deps.clock.now())) return [secret];
    return [secret, this.deps.box.open(sealedFormerSecret, webhookPlace('former_secret', id))];
  }
}
