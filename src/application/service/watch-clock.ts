import { type Instant, MINUTE, toIso } from '../../domain/base/instant.ts';
import { isOver, isUndone, jumpBetween, MAX_STOP_MS, MIN_JUMP_MS } from '../../domain/fleet/clock-jump.ts';
import { UseCase } from '../base/use-case.ts';

const SEE_EVERY_MS = MINUTE;

/**
 * Notices that the clock was set. While it may be ahead, nothing may be deleted because of its age: ask `holdsBack` first. It is
 * to look every few seconds, so that within one process a longer step is a jump.
 */
export class WatchClock extends UseCase<'clockRecord' | 'clock' | 'log' | 'databaseHealth.clockOffsetMs'> {
  #last: Instant | null = null;
  #seenAt: Instant | null = null;
  #looking: Promise<void> = Promise.resolve();

  /** Serialized: each check starts when the previous one has ended. */
  execute(): Promise<void> {
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    const now = this.deps.clock.now();
    if (await this.#isApart(now)) return;
    const isFirst = this.#last === null;
    const expected = this.#last ?? (await this.deps.clockRecord.seenAt());
    this.#last = now;
    let wentBack = false;
    for (const jump of await this.deps.clockRecord.open()) {
      if (isOver(jump, now)) {
        await this.deps.clockRecord.end(jump.id, now);
        wentBack ||= isUndone(jump, now);
      } else if (jump.kind === 'ahead') return;
    }
    const kind =
      expected === null || wentBack ? null : jumpBetween(expected, now, isFirst ? MAX_STOP_MS : MIN_JUMP_MS);
    if (kind !== null && expected !== null) {
      this.deps.log.warn('the clock jumped', { kind, from: toIso(expected), to: toIso(now) });
      await this.deps.clockRecord.begin({ kind, fromAt: expected, toAt: now });
    }
    if (kind === 'ahead') return;
    if (isFirst || wentBack || kind === 'back') await this.#bringBack(now);
    if (this.#seenAt === null || Math.abs(now - this.#seenAt) >= SEE_EVERY_MS) {
      await this.deps.clockRecord.see(now);
      this.#seenAt = now;
    }
  }

  /** Whether the clock may be ahead, so that old data must not be deleted. */
  async holdsBack(): Promise<boolean> {
    await this.execute();
    const jumps = await this.deps.clockRecord.open();
    return jumps.some(({ kind }) => kind === 'ahead') || this.#isApart(this.deps.clock.now());
  }

  /** A machine that disagrees with its database cannot judge other clocks. */
  async #isApart(now: Instant): Promise<boolean> {
    const offset = await this.deps.databaseHealth.clockOffsetMs(now);
    if (Math.abs(offset) <= MIN_JUMP_MS) return false;
    this.deps.log.warn('the clocks of this machine and of the database differ', { ms: offset });
    return true;
  }

  async #bringBack(now: Instant): Promise<void> {
    const rows = await this.deps.clockRecord.bringBack(now);
    if (rows > 0) this.deps.log.warn('corrected times that a wrong clock had written', { rows });
  }
}
