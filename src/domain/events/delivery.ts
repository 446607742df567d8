import { DomainError } from '../base/errors.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';
import type { WrittenEvent } from './event.ts';

export const CHANNELS = ['webhook', 'push', 'channel'] as const;
export type Channel = (typeof CHANNELS)[number];

/** The receiver of a delivery: a webhook, a push subscription or an alert channel, by its id. */
export interface Target {
  readonly channel: Channel;
  readonly id: number;
}

/** `dead`: tried for the last time. `cancelled`: its target was switched off or removed first. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event on its way to one target. */
export interface Delivery {
  readonly id: number;
  readonly target: Target;
  readonly event: WrittenEvent;
  readonly status: DeliveryStatus;
  /** Attempts since it was created or sent again. */
  readonly attempts: number;
  /** When it is tried next; `null`: never. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly lastAttemptAt: Instant | null;
  /** The result of the last attempt. */
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** The result of an attempt. `gone`: the target permanently wants no more deliveries. */
export interface Attempt {
  readonly result: 'delivered' | 'failed' | 'gone';
  /** The receiver's status code; `null` if it did not answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Drover's own words, never the receiver's. */
  readonly error: string | null;
  /** How long the receiver asks to be left alone. */
  readonly retryAfterMs: number | null;
}

const RETRY_FOR_DAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** How long after each failed try the next one follows. After the last there is none. */
export const RETRY_AFTER_MS: Readonly<Record<Channel, readonly number[]>> = {
  webhook: RETRY_FOR_DAYS_MS,
  channel: RETRY_FOR_DAYS_MS,
  // A push message that is a day late is useless.
  push: [5 * SECOND, 5 * MINUTE, 30 * MINUTE],
};

/** A receiver cannot delay the next attempt for longer than Drover's longest pause. */
const MAX_RETRY_AFTER_MS = DAY;
const MAX_ERROR = 1024;

/** The delivery after an attempt. */
export interface AttemptOutcome {
  readonly status: DeliveryStatus;
  readonly dueAt: Instant | null;
  readonly error: string | null;
}

/** `attempts`: how often it was tried before. */
export function afterAttempt(
  { channel, attempts }: { readonly channel: Channel; readonly attempts: number },
  attempt: Attempt,
  at: Instant,
): AttemptOutcome {
  const error = attempt.error === null ? null : oneLine(attempt.error, MAX_ERROR);
  if (attempt.result === 'delivered') return { status: 'delivered', dueAt: null, error: null };
  const pause = attempt.result === 'gone' ? undefined : RETRY_AFTER_MS[channel][attempts];
  if (pause === undefined) return { status: 'dead', dueAt: null, error };
  const asked = Math.min(attempt.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { status: 'pending', dueAt: at + Math.max(pause, asked), error };
}

export const deliveryNotFound = (id: number): DomainError =>
  new DomainError('delivery_not_found', `There is no delivery with id ${id}.`);
