import type { EventFilter } from '../../domain/event-filter.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Trail } from './trail.ts';

/** A browser that is sent messages. */
export interface PushSubscription {
  readonly id: number;
  /** SHA-256 of its address. */
  readonly endpointHash: string;
  /** Its address and keys, as JSON. */
  readonly sealedSubscription: string;
  /** The person whose browser it is; `null`: nobody's in particular. */
  readonly ownerId: number | null;
  readonly filter: EventFilter;
  readonly createdAt: Instant;
}

export interface PushStore {
  /** One that is there already with this address gets the new keys, owner and filter, and keeps its id. */
  put(
    subscription: Omit<PushSubscription, 'id' | 'sealedSubscription'>,
    seal: (id: number) => string,
    trail: (subscription: PushSubscription) => Trail,
  ): Promise<PushSubscription>;
  find(id: number): Promise<PushSubscription | null>;
  /** Of one person (`null`: of nobody in particular), or all; the oldest first. */
  list(ownerId?: number | null): Promise<readonly PushSubscription[]>;
  /** With what is on its way to it. Throws `subscription_not_found`. */
  remove(id: number, trail: Trail): Promise<void>;
}
