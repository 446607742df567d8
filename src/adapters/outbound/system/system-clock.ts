import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/** Timers accept at most 2^31 - 1 ms (24.8 days) and fire immediately for more. */
const MAX_TIMER_MS = 2_147_483_647;

/** The machine's clock. */
export class SystemClock implements Clock {
  now(): Instant {
    return Date.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    for (let left = ms; left > 0; left -= MAX_TIMER_MS) {
      if (signal?.aborted) return;
      await timer(Math.min(left, MAX_TIMER_MS), signal);
    }
  }
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timeout = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}
