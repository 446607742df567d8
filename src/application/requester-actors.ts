import { Actor } from '../domain/actor.ts';
import { actorOf, allowsAddress, isUsable } from '../domain/api-token.ts';
import type { Requester } from '../domain/requester.ts';
import { actorOfUser, isActive } from '../domain/user.ts';
import type { Clock } from './ports/clock.ts';
import type { TokenStore } from './ports/token-store.ts';
import type { UserStore } from './ports/user-store.ts';

/** Whoever asked for something earlier, with what they may do now. */
export class RequesterActors {
  readonly #tokens: Pick<TokenStore, 'find'>;
  readonly #users: Pick<UserStore, 'find'>;
  readonly #clock: Clock;

  constructor(deps: {
    tokens: Pick<TokenStore, 'find'>;
    users: Pick<UserStore, 'find'>;
    clock: Clock;
  }) {
    this.#tokens = deps.tokens;
    this.#users = deps.users;
    this.#clock = deps.clock;
  }

  /**
   * As they are now: a token that was revoked, or may do less, does not start what it asked for before. Null where they
   * may nothing any more. `approved`: a person said yes, so that nobody has to be asked again.
   */
  async find(
    { kind, id, name, address }: Requester,
    { requireApproval, approved }: { readonly requireApproval: boolean; readonly approved: boolean },
  ): Promise<Actor | null> {
    if (kind === 'operator') return Actor.operator(name);
    if (kind === 'system') return Actor.system(name, { requireApproval: requireApproval && !approved });
    if (id === null) return null;
    if (kind === 'user') {
      const user = await this.#users.find(id);
      return user && isActive(user) ? actorOfUser(user, address) : null;
    }
    const token = await this.#tokens.find(id);
    if (!token || !isUsable(token, this.#clock.now())) return null;
    if (address !== null && !allowsAddress(token, address)) return null;
    return actorOf(approved ? { ...token, requireApproval: false } : token, address);
  }
}
