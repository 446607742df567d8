import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { PushStore } from '../../../../../application/ports/events/push-store.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { PushSubscription } from '../../../../../domain/events/push-subscription.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, orNull, type Row, text } from '../tables/columns.ts';
import { filter } from '../tables/webhook-row.ts';
import { recordChange } from './record-change.ts';

const SUBSCRIPTIONS = columns({
  id: int,
  endpointHash: text,
  sealedSubscription: text,
  ownerId: orNull(int),
  filter,
  createdAt: int,
});
type PushRow = Row<typeof SUBSCRIPTIONS>;

export class SqlPushStore extends SqlStore implements PushStore {
  async put(...given: Parameters<PushStore['put']>): Promise<PushSubscription> {
    try {
      return await this.#put(...given);
    } catch (error) {
      if (!isUniqueViolation(error, 'push_subscriptions', ['endpoint_hash'])) throw error;
      // Another one was inserted in the meantime: this one updates it.
      return this.#put(...given);
    }
  }

  async find(id: number): Promise<PushSubscription | null> {
    const row = await this.database
      .knex('push_subscriptions')
      .where({ id })
      .first<PushRow | undefined>(SUBSCRIPTIONS.names);
    return row ? SUBSCRIPTIONS.read(row) : null;
  }

  async list(ownerId?: number | null): Promise<readonly PushSubscription[]> {
    const query = this.database.knex('push_subscriptions');
    if (ownerId !== undefined) query.where({ owner_id: ownerId });
    const rows: PushRow[] = await query.select(SUBSCRIPTIONS.names).orderBy('id');
    return rows.map(SUBSCRIPTIONS.read);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      if ((await trx('push_subscriptions').where({ id }).delete()) === 0) throw subscriptionNotFound(id);
      await trx('deliveries').where({ channel: 'push', target_id: id }).delete();
      await recordChange(trx, record);
    });
  }

  async #put(...[subscription, seal, record]: Parameters<PushStore['put']>): Promise<PushSubscription> {
    const { endpointHash, ownerId, filter: wanted } = subscription;
    const changes = SUBSCRIPTIONS.write({ ownerId, filter: wanted });
    return this.database.transaction(async (trx) => {
      const subscriptions = () => trx('push_subscriptions').where({ endpoint_hash: endpointHash });
      if ((await subscriptions().update(changes)) === 0) {
        // The encrypted text is bound to the row's id, which is not known yet.
        const unsealed = SUBSCRIPTIONS.write({ ...subscription, sealedSubscription: '' });
        await trx('push_subscriptions').insert(unsealed);
      }
      const { id } = await subscriptions().first<{ id: number }>('id');
      await subscriptions().update({ sealed_subscription: seal(id) });
      const kept = SUBSCRIPTIONS.read(await subscriptions().first<PushRow>(SUBSCRIPTIONS.names));
      await recordChange(trx, record(kept));
      return kept;
    });
  }
}

const subscriptionNotFound = (id: number): DomainError =>
  new DomainError('subscription_not_found', `There is no push subscription with id ${id}.`);
