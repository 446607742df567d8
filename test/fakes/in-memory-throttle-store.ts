import type { ThrottleStore } from '../../src/application/ports/access/throttle-store.ts';
import {
  type CountedTry,
  countTry,
  type Throttle,
  type ThrottleRule,
} from '../../src/domain/access/login-throttle.ts';
import type { Instant } from '../../src/domain/base/instant.ts';

export class InMemoryThrottleStore implements ThrottleStore {
  readonly #throttles = new Map<string, Throttle>();

  /** Subjects with remembered failures. */
  get subjects(): readonly string[] {
    return [...this.#throttles.keys()];
  }

  async count(subject: string, now: Instant, rule: ThrottleRule): Promise<CountedTry> {
    const { after, ...counted } = countTry(this.#throttles.get(subject) ?? null, now, rule);
    this.#throttles.set(subject, after);
    return counted;
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
    return this.#forget([...this.#throttles].filter(([, { lastAt }]) => lastAt < at).slice(0, most));
  }

  async keepLatest(prefix: string, keep: number, most: number): Promise<number> {
    const latest = [...this.#throttles]
      .filter(([subject]) => subject.startsWith(prefix))
      .toReversed()
      .toSorted(([, a], [, b]) => b.lastAt - a.lastAt);
    return this.#forget(latest.slice(keep, keep + most));
  }

  #forget(throttles: readonly (readonly [string, Throttle])[]): number {
    for (const [subject] of throttles) this.#throttles.delete(subject);
    return throttles.length;
  }
}
