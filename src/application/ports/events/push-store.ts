import type { PushSubscription } from '../../../domain/events/push-subscription.ts';
import type { ChangeRecord } from './change-record.ts';

export interface PushStore {
  /** One that is there already with this address gets the new keys, owner and filter, and keeps its id. */
  put(
    subscription: Omit<PushSubscription, 'id' | 'sealedSubscription'>,
    seal: (id: number) => string,
    record: (subscription: PushSubscription) => ChangeRecord,
  ): Promise<PushSubscription>;
  find(id: number): Promise<PushSubscription | null>;
  /** Of one user (`null`: those without a user), or all; the oldest first. */
  list(ownerId?: number | null): Promise<readonly PushSubscription[]>;
  /** Includes its pending deliveries. Throws `subscription_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
