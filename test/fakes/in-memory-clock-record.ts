import type { ClockRecord } from '../../src/application/ports/service/clock-record.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { ClockJump } from '../../src/domain/fleet/clock-jump.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryClockRecord implements ClockRecord {
  readonly #world: InMemoryWorld;
  #seenAt: Instant | null = null;
  /** When times were brought back. */
  readonly broughtBack: Instant[] = [];

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async seenAt(): Promise<Instant | null> {
    return this.#seenAt;
  }

  async see(at: Instant): Promise<void> {
    this.#seenAt = at;
  }

  async open(): Promise<readonly ClockJump[]> {
    const alerts = [...this.#world.notifications.values()];
    return [...this.#world.clockJumps.values()].map((jump) => ({
      ...jump,
      acknowledged: alerts.some(
        ({ kind, subjectId, state }) =>
          kind === 'clock.jumped' && subjectId === jump.id && state === 'acknowledged',
      ),
    }));
  }

  async begin(jump: Omit<ClockJump, 'id' | 'acknowledged'>): Promise<void> {
    const id = this.#world.nextId('clockJumps');
    this.#world.clockJumps.set(id, { ...jump, id });
  }

  async end(id: number): Promise<void> {
    this.#world.clockJumps.delete(id);
  }

  async bringBack(now: Instant): Promise<number> {
    this.broughtBack.push(now);
    return 0;
  }
}
