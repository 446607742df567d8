import type { ThrottleStore } from '../../src/application/ports/throttle-store.ts';
import type { Instant } from '../../src/domain/instant.ts';
import { countTry, type Throttle, type ThrottleRule } from '../../src/domain/login-throttle.ts';

export class InMemoryThrottleStore implements ThrottleStore {
  readonly #throttles = new Map<string, Throttle>();

  async count(subject: string, now: Instant, rule: ThrottleRule): Promise<number> {
    const before = this.#throttles.get(subject) ?? null;
    const after = countTry(before, now, rule);
    if (after === null) return (before?.nextAt ?? now) - now;
    this.#throttles.set(subject, after);
    return 0;
  }

  async forgive(subject: string): Promise<void> {
    const before = this.#throttles.get(subject);
    if (before && before.failures > 0) {
      this.#throttles.set(subject, { ...before, failures: before.failures - 1, nextAt: 0 });
    }
  }

  async clear(subject: string): Promise<void> {
    this.#throttles.delete(subject);
  }

  async forgetBefore(at: Instant, most: number): Promise<number> {
    const old = [...this.#throttles].filter(([, { lastAt }]) => lastAt < at).slice(0, most);
    for (const [subject] of old) this.#throttles.delete(subject);
    return old.length;
  }
}
