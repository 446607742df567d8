import type { Instant } from '../base/instant.ts';
import type { EventFilter } from './event-filter.ts';

/** A browser that is sent messages. */
export interface PushSubscription {
  readonly id: number;
  /** SHA-256 of its address. */
  readonly endpointHash: string;
  /** Its address and keys, as JSON. */
  readonly sealedSubscription: string;
  /** The user of the browser; `null`: none in particular. */
  readonly ownerId: number | null;
  readonly filter: EventFilter;
  readonly createdAt: Instant;
}
