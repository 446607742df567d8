import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { WebhookStore } from '../../../../../application/ports/events/webhook-store.ts';
import { type Webhook, webhookNotFound } from '../../../../../domain/events/webhook.ts';
import { SqlStore } from '../database.ts';
import { toWebhook, WEBHOOKS, type WebhookRow } from '../tables/webhook-row.ts';
import { cancelPending } from './delivery-writes.ts';
import { NamedRows } from './named-rows.ts';

const TABLE = 'webhooks';
const ROWS = new NamedRows<WebhookRow, Webhook>({
  table: TABLE,
  columns: WEBHOOKS.names,
  read: toWebhook,
  notFound: webhookNotFound,
  taken: (name) => `A webhook named "${name}" already exists; choose a different name.`,
});

export class SqlWebhookStore extends SqlStore implements WebhookStore {
  async add(...[webhook, seal, record]: Parameters<WebhookStore['add']>): Promise<Webhook> {
    const { name, createdAt } = webhook;
    // The encrypted texts are bound to the row's id, which is not known yet.
    const unsealed = { ...webhook, sealedUrl: '', sealedSecret: '', updatedAt: createdAt };
    return this.database.transaction(async (trx) => {
      const id = await ROWS.insert(trx, name, WEBHOOKS.write(unsealed));
      await trx(TABLE)
        .where({ id })
        .update(WEBHOOKS.write(seal(id)));
      return ROWS.left(trx, id, record);
    });
  }

  async find(id: number): Promise<Webhook | null> {
    return ROWS.find(this.database.knex, { id });
  }

  async findByName(name: string): Promise<Webhook | null> {
    return ROWS.find(this.database.knex, { name });
  }

  async list(): Promise<readonly Webhook[]> {
    return ROWS.list(this.database.knex);
  }

  async change(...[id, change, at, record]: Parameters<WebhookStore['change']>): Promise<Webhook> {
    return this.database.transaction(async (trx) => {
      const row = WEBHOOKS.write({ ...change, updatedAt: at });
      const changed = await ROWS.refusing(trx(TABLE).where({ id }).update(row), change.name ?? '');
      if (changed === 0) throw ROWS.missing(id);
      if (change.enabled === false) await cancelPending(trx, { channel: 'webhook', id });
      return ROWS.left(trx, id, record);
    });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await ROWS.remove(trx, id, record);
      await trx('deliveries').where({ channel: 'webhook', target_id: id }).delete();
    });
  }
}
