import type { Clock } from '../../application/ports/base/clock.ts';
import type { Instant } from '../../domain/base/instant.ts';

/** A clock that is set to times of the past while the demonstration's history is made, and goes by itself afterwards. */
export class DemoClock implements Clock {
  readonly #real: Clock;
  #set: Instant | null = null;

  constructor(real: Clock) {
    this.#real = real;
  }

  now(): Instant {
    return this.#set ?? this.#real.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#real.sleep(ms, signal);
  }

  setTo(at: Instant): void {
    this.#set = at;
  }

  useRealTime(): void {
    this.#set = null;
  }
}
