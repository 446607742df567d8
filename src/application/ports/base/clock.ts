import type { Instant } from '../../../domain/base/instant.ts';

export interface Clock {
  now(): Instant;
  /** Resolves after this many milliseconds, or as soon as the signal is aborted (without throwing). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
