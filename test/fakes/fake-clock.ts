import type { Clock } from '../../src/application/ports/base/clock.ts';
import type { Instant } from '../../src/domain/base/instant.ts';

interface Sleeper {
  until: Instant;
  readonly wake: () => void;
}

/** A clock that only moves when a test moves it. */
export class FakeClock implements Clock {
  #now: Instant;
  #sleepers: Sleeper[] = [];

  constructor(now: Instant = Date.UTC(2026, 0, 15, 12)) {
    this.#now = now;
  }

  now(): Instant {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        this.#wake(sleeper, resolve);
      };
      const sleeper: Sleeper = { until: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Advances; sleepers up to then are woken in order, each at its own time, and run as far as they can. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settled();
    for (let next = this.#earliest(target); next; next = this.#earliest(target)) {
      this.#now = next.until;
      next.wake();
      await settled();
    }
    this.#now = target;
  }

  /** Sets the clock: the time changes at once, and sleepers keep sleeping for as long. */
  set(now: Instant): void {
    const moved = now - this.#now;
    this.#now = now;
    this.#sleepers = this.#sleepers.map((sleeper) =>
      Object.assign(sleeper, { until: sleeper.until + moved }),
    );
  }

  /** How many sleep now. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  #earliest(target: Instant): Sleeper | undefined {
    return this.#sleepers.filter(({ until }) => until <= target).sort((a, b) => a.until - b.until)[0];
  }

  #wake(sleeper: Sleeper, resolve: () => void): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    resolve();
  }
}

/** After every promise that is ready has been handled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
