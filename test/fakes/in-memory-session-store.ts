import type { SessionStore } from '../../src/application/ports/access/session-store.ts';
import type { UserStore } from '../../src/application/ports/access/user-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { NewSession, Session } from '../../src/domain/access/session.ts';
import type { User } from '../../src/domain/access/user.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemorySessionStore implements SessionStore {
  readonly #users: Pick<UserStore, 'find'>;
  readonly #world: InMemoryWorld;
  readonly #sessions = new Map<number, { readonly session: Session; readonly hash: string }>();

  constructor(users: Pick<UserStore, 'find'>, world = new InMemoryWorld()) {
    this.#users = users;
    this.#world = world;
  }

  async add(
    session: NewSession,
    secretHash: string,
    record: (session: Session) => ChangeRecord,
  ): Promise<Session> {
    const added = { ...session, id: this.#world.nextId('sessions') };
    const left = record(added);
    this.#sessions.set(added.id, { session: added, hash: secretHash });
    this.#world.record.write(left);
    return added;
  }

  async findByHash(secretHash: string): Promise<{ session: Session; user: User } | null> {
    const found = [...this.#sessions.values()].find(({ hash }) => hash === secretHash);
    const user = found ? await this.#users.find(found.session.userId) : null;
    return found && user ? { session: found.session, user } : null;
  }

  async touch(id: number, at: Instant): Promise<void> {
    const seenAt = Math.max(at, this.#sessions.get(id)?.session.seenAt ?? 0);
    this.#replace(id, { seenAt });
  }

  async confirm(id: number, at: Instant): Promise<void> {
    this.#replace(id, { confirmedAt: at });
  }

  async list(userId: number): Promise<readonly Session[]> {
    return this.#of(userId)
      .toSorted((a, b) => b.seenAt - a.seenAt)
      .slice(0, 100);
  }

  async remove(userId: number, id: number, record: ChangeRecord): Promise<boolean> {
    if (this.#sessions.get(id)?.session.userId !== userId) return false;
    this.#sessions.delete(id);
    this.#world.record.write(record);
    return true;
  }

  async removeAll(userId: number, except: number | null): Promise<number> {
    return this.#delete(this.#of(userId).filter(({ id }) => id !== except));
  }

  async forgetUnusedSince(at: Instant, most: number): Promise<number> {
    const all = [...this.#sessions.values()].map(({ session }) => session);
    return this.#delete(all.filter(({ seenAt }) => seenAt < at).slice(0, most));
  }

  #of(userId: number): readonly Session[] {
    return [...this.#sessions.values()]
      .map(({ session }) => session)
      .filter((each) => each.userId === userId);
  }

  #replace(id: number, change: Partial<Session>): void {
    const stored = this.#sessions.get(id);
    if (stored) this.#sessions.set(id, { ...stored, session: { ...stored.session, ...change } });
  }

  #delete(sessions: readonly Session[]): number {
    for (const { id } of sessions) this.#sessions.delete(id);
    return sessions.length;
  }
}
