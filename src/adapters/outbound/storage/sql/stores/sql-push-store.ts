import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { PushStore } from '../../../../../application/ports/events/push-store.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Severity } from '../../../../../domain/events/event.ts';
import type { PushSubscription } from '../../../../../domain/events/push-subscription.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { filterColumns, toFilter } from '../tables/webhook-row.ts';
import { recordChange } from './record-change.ts';

interface PushRow {
  readonly id: number;
  readonly endpoint_hash: string;
  readonly sealed_subscription: string;
  readonly owner_id: number | null;
  readonly events: string | null;
  readonly min_severity: Severity;
  readonly created_at: number;
}

const COLUMNS = [
  'id',
  'endpoint_hash',
  'sealed_subscription',
  'owner_id',
  'events',
  'min_severity',
  'created_at',
] as const satisfies readonly (keyof PushRow)[];

const toSubscription = (row: PushRow): PushSubscription => ({
  id: row.id,
  endpointHash: row.endpoint_hash,
  sealedSubscription: row.sealed_subscription,
  ownerId: row.owner_id,
  filter: toFilter(row),
  createdAt: row.created_at,
});

export class SqlPushStore implements PushStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async put(...given: Parameters<PushStore['put']>): Promise<PushSubscription> {
    try {
      return await this.#put(...given);
    } catch (error) {
      if (!isUniqueViolation(error, 'push_subscriptions', ['endpoint_hash'])) throw error;
      // Another put the same one meanwhile: this one comes second.
      return this.#put(...given);
    }
  }

  async find(id: number): Promise<PushSubscription | null> {
    const row = await this.#database
      .knex('push_subscriptions')
      .where({ id })
      .first<PushRow | undefined>(COLUMNS);
    return row ? toSubscription(row) : null;
  }

  async list(ownerId?: number | null): Promise<readonly PushSubscription[]> {
    const query = this.#database.knex('push_subscriptions');
    if (ownerId !== undefined) query.where({ owner_id: ownerId });
    const rows: PushRow[] = await query.select(COLUMNS).orderBy('id');
    return rows.map(toSubscription);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      if ((await trx('push_subscriptions').where({ id }).delete()) === 0) throw subscriptionNotFound(id);
      await trx('deliveries').where({ channel: 'push', target_id: id }).delete();
      await recordChange(trx, record);
    });
  }

  async #put(...[subscription, seal, record]: Parameters<PushStore['put']>): Promise<PushSubscription> {
    const { endpointHash, ownerId, filter, createdAt } = subscription;
    const said = { owner_id: ownerId, ...filterColumns(filter) };
    return this.#database.transaction(async (trx) => {
      const subscriptions = () => trx('push_subscriptions').where({ endpoint_hash: endpointHash });
      if ((await subscriptions().update(said)) === 0) {
        const row = { ...said, endpoint_hash: endpointHash, created_at: createdAt };
        // The seal is bound to the row's id, which is not known yet.
        await trx('push_subscriptions').insert({ ...row, sealed_subscription: '' });
      }
      const { id } = await subscriptions().first<{ id: number }>('id');
      await subscriptions().update({ sealed_subscription: seal(id) });
      const kept = toSubscription(await subscriptions().first<PushRow>(COLUMNS));
      await recordChange(trx, record(kept));
      return kept;
    });
  }
}

const subscriptionNotFound = (id: number): DomainError =>
  new DomainError('subscription_not_found', `There is no push subscription with id ${id}.`);
