import type {
  Attempt,
  IdempotencyStore,
  RepeatableRequest,
} from '../../src/application/ports/base/idempotency-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { KeptReply, ReplyToKeep } from '../../src/domain/base/kept-reply.ts';
import { InMemoryWorld } from './in-memory-world.ts';

interface Entry {
  readonly hash: string;
  readonly createdAt: Instant;
  /** `null` once there is a reply. */
  readonly hold: { readonly owner: string; readonly until: Instant } | null;
  readonly reply: KeptReply | null;
}

export class InMemoryIdempotencyStore implements IdempotencyStore {
  readonly #world: InMemoryWorld;
  readonly #entries = new Map<string, Entry>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
    world.record.keepReply = (reply) => this.#keep(reply);
  }

  async begin(
    { id, hash }: RepeatableRequest,
    owner: string,
    leaseMs: number,
    keptMs: number,
  ): Promise<Attempt> {
    const now = this.#world.now();
    const hold = { owner, until: now + leaseMs };
    const entry = this.#entries.get(id);
    if (!entry || this.#isForgotten(entry, keptMs)) {
      this.#entries.set(id, { hash, createdAt: now, hold, reply: null });
      return { kind: 'begun' };
    }
    if (entry.hash !== hash) return { kind: 'other_request' };
    if (entry.reply) return { kind: 'answered', reply: entry.reply };
    if (this.#isHeld(entry)) return { kind: 'under_way' };
    this.#entries.set(id, { ...entry, hold });
    return { kind: 'begun' };
  }

  async renew(id: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.#change(id, owner, { hold: { owner, until: this.#world.now() + leaseMs } });
  }

  async answer(reply: ReplyToKeep): Promise<boolean> {
    return this.#keep(reply);
  }

  async giveUp(id: string, owner: string): Promise<void> {
    if (this.#entries.get(id)?.hold?.owner === owner) this.#entries.delete(id);
  }

  async prune(keptMs: number, limit: number): Promise<number> {
    const old = [...this.#entries].filter(([, entry]) => this.#isForgotten(entry, keptMs)).slice(0, limit);
    for (const [id] of old) this.#entries.delete(id);
    return old.length;
  }

  #keep({ id, owner, reply }: ReplyToKeep): boolean {
    return this.#change(id, owner, { hold: null, reply });
  }

  #change(id: string, owner: string, change: Partial<Entry>): boolean {
    const entry = this.#entries.get(id);
    if (entry?.hold?.owner !== owner) return false;
    this.#entries.set(id, { ...entry, ...change });
    return true;
  }

  #isHeld({ hold }: Entry): boolean {
    return hold !== null && hold.until > this.#world.now();
  }

  #isForgotten(entry: Entry, keptMs: number): boolean {
    return entry.createdAt <= this.#world.now() - keptMs && !this.#isHeld(entry);
  }
}
