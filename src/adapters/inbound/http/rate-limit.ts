import { networkOf } from '../../../domain/access/client-address.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { MINUTE, SECOND } from '../../../domain/base/instant.ts';

/** How many callers are remembered at once. A dropped one starts with a full bucket, which does no harm. */
const MAX_CALLERS = 10_000;

/** Requests a minute, and concurrent ones: 0 for no limit. */
export interface RateSettings {
  readonly perToken: number;
  readonly perAddress: number;
}

/** A caller has sent too many requests. */
export class RateLimited extends DomainError {
  readonly retryAfterSeconds: number;

  constructor(whose: string, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / SECOND));
    const wait = seconds === 1 ? 'a second' : `${seconds} seconds`;
    super('rate_limited', `Too many requests ${whose}. Wait ${wait}, then send fewer requests.`);
    this.retryAfterSeconds = seconds;
  }
}

/**
 * A bucket for each caller that holds a minute's requests and refills steadily. Per caller it only stores the time
 * when its bucket would be full again, in a preallocated array: a request creates no garbage.
 */
export class RateLimit {
  readonly #whose: string;
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #slots = new Map<string | number, number>();
  readonly #callers: (string | number)[] = [];
  readonly #fullAt = new Float64Array(MAX_CALLERS);
  #next = 0;

  /** `perMinute`: above 0. `now`: milliseconds that never go back. */
  constructor(whose: string, perMinute: number, now: () => number = () => performance.now()) {
    this.#whose = whose;
    this.#intervalMs = MINUTE / perMinute;
    this.#now = now;
  }

  /** Counts a request. Throws `RateLimited` if it exceeds the limit; such a request does not count. */
  take(caller: string | number): void {
    const now = this.#now();
    const slot = this.#slots.get(caller) ?? this.#newSlot(caller, now);
    const fullAt = Math.max(this.#fullAt[slot] ?? now, now) + this.#intervalMs;
    const tooEarlyBy = fullAt - now - MINUTE;
    // A rounding error of fractions is not a request.
    if (tooEarlyBy > this.#intervalMs / 1_000) throw new RateLimited(this.#whose, tooEarlyBy);
    this.#fullAt[slot] = fullAt;
  }

  /** In order of arrival. */
  #newSlot(caller: string | number, now: number): number {
    const slot = this.#next;
    this.#next = (slot + 1) % MAX_CALLERS;
    const former = this.#callers[slot];
    if (former !== undefined) this.#slots.delete(former);
    this.#callers[slot] = caller;
    this.#slots.set(caller, slot);
    this.#fullAt[slot] = now;
    return slot;
  }
}

/** Shared by all interfaces. */
export class RateLimits {
  readonly #token: RateLimit | null;
  readonly #address: RateLimit | null;

  constructor({ perToken, perAddress }: RateSettings) {
    this.#token = perToken > 0 ? new RateLimit('with this token', perToken) : null;
    this.#address = perAddress > 0 ? new RateLimit('from this address', perAddress) : null;
  }

  /** Counts a request of a token. Throws `RateLimited`. */
  takeToken(id: number | null): void {
    if (id !== null) this.#token?.take(id);
  }

  /** Counts a request from an address; those of one IPv6 network count together. Throws `RateLimited`. */
  takeAddress(address: string): void {
    this.#address?.take(networkOf(address));
  }
}
