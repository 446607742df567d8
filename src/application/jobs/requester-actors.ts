import { Actor } from '../../domain/access/actor.ts';
import { actorOf, allowsAddress, isUsable } from '../../domain/access/api-token.ts';
import { type Requester, viaOf, viaSchedule } from '../../domain/access/requester.ts';
import { actorOfUser, isActive } from '../../domain/access/user.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { withCurrentGrant } from '../access/authenticate.ts';
import { UseCase } from '../base/use-case.ts';

/** Earlier requesters with their current rights. */
export class RequesterActors extends UseCase<'clock' | 'tokens.find' | 'users.find'> {
  /**
   * With current rights: a token that was revoked or restricted does not start what it asked for before. Null if no
   * rights are left. `approved`: a user approved it, so no further approval is needed.
   */
  async find(
    requester: Requester,
    { requireApproval, approved }: { readonly requireApproval: boolean; readonly approved: boolean },
  ): Promise<Actor | null> {
    const { kind, name, address } = requester;
    if (kind === 'system') return Actor.system(name, { requireApproval: requireApproval && !approved });
    const actor = await this.#find(requester, address, approved);
    return actor?.acting({ via: viaOf(requester) }) ?? null;
  }

  /** The owner of a schedule with current rights, acting for it. Null if there is no owner or no rights are left. */
  async ownerOf({ owner, name, requireApproval }: Schedule): Promise<Actor | null> {
    if (owner === null) return null;
    // There is no caller: a token's address ranges limit its use, not this.
    const actor = owner.kind === 'system' ? Actor.system(owner.name) : await this.#find(owner, null, false);
    return actor?.acting({ via: viaSchedule(name), requireApproval }) ?? null;
  }

  async #find(
    { kind, id, name }: Pick<Requester, 'kind' | 'id' | 'name'>,
    address: string | null,
    approved: boolean,
  ): Promise<Actor | null> {
    if (kind === 'operator') return Actor.operator(name);
    if (id === null) return null;
    if (kind === 'user') {
      const user = await this.deps.users.find(id);
      // They gave their password when they asked for it, if that was needed.
      return user && isActive(user) ? actorOfUser(user, address, true) : null;
    }
    const found = await this.deps.tokens.find(id);
    if (!found || !isUsable(found, this.deps.clock.now())) return null;
    const token = await withCurrentGrant(found, this.deps.users);
    if (address !== null && !allowsAddress(token, address)) return null;
    return actorOf(approved ? { ...token, requireApproval: false } : token, address);
  }
}
