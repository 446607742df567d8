import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { WebhookStore } from '../../../../../application/ports/events/webhook-store.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { type Webhook, webhookNotFound } from '../../../../../domain/events/webhook.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { toWebhook, WEBHOOKS, type WebhookRow } from '../tables/webhook-row.ts';
import { cancelPending } from './delivery-writes.ts';
import { recordChange } from './record-change.ts';

export class SqlWebhookStore implements WebhookStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(...[webhook, seal, record]: Parameters<WebhookStore['add']>): Promise<Webhook> {
    const { name, createdAt } = webhook;
    // The encrypted texts are bound to the row's id, which is not known yet.
    const unsealed = { ...webhook, sealedUrl: '', sealedSecret: '', updatedAt: createdAt };
    return this.#database.transaction(async (trx) => {
      const [id] = await trx('webhooks').insert(WEBHOOKS.write(unsealed)).catch(refuseTaken(name));
      await trx('webhooks')
        .where({ id: Number(id) })
        .update(WEBHOOKS.write(seal(Number(id))));
      return left(trx, Number(id), record);
    });
  }

  async find(id: number): Promise<Webhook | null> {
    return one(this.#database.knex('webhooks').where({ id }));
  }

  async findByName(name: string): Promise<Webhook | null> {
    return one(this.#database.knex('webhooks').where({ name }));
  }

  async list(): Promise<readonly Webhook[]> {
    const rows: WebhookRow[] = await this.#database.knex('webhooks').select(WEBHOOKS.names).orderBy('name');
    return rows.map(toWebhook);
  }

  async change(...[id, change, at, record]: Parameters<WebhookStore['change']>): Promise<Webhook> {
    return this.#database.transaction(async (trx) => {
      const changed = await trx('webhooks')
        .where({ id })
        .update(WEBHOOKS.write({ ...change, updatedAt: at }))
        .catch(refuseTaken(change.name ?? ''));
      if (changed === 0) throw missing(id);
      if (change.enabled === false) await cancelPending(trx, { channel: 'webhook', id });
      return left(trx, id, record);
    });
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      if ((await trx('webhooks').where({ id }).delete()) === 0) throw missing(id);
      await trx('deliveries').where({ channel: 'webhook', target_id: id }).delete();
      await recordChange(trx, record);
    });
  }
}

async function one(webhooks: Knex.QueryBuilder): Promise<Webhook | null> {
  const row = await webhooks.first<WebhookRow | undefined>(WEBHOOKS.names);
  return row ? toWebhook(row) : null;
}

async function left(trx: Knex, id: number, record: (webhook: Webhook) => ChangeRecord): Promise<Webhook> {
  const webhook = await one(trx('webhooks').where({ id }));
  if (!webhook) throw missing(id);
  await recordChange(trx, record(webhook));
  return webhook;
}

const missing = (id: number): DomainError => webhookNotFound(`with id ${id}`);

const refuseTaken =
  (name: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error, 'webhooks', ['name'])) throw error;
    throw new DomainError('name_taken', `A webhook named "${name}" already exists; choose a different name.`);
  };
