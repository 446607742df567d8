import { Actor } from '../../domain/access/actor.ts';
import type { Roles } from '../../domain/access/role.ts';
import { accountName, type SsoIdentity, SsoRefusal } from '../../domain/access/sso-identity.ts';
import { rolesOfGroups, type SsoProvider } from '../../domain/access/sso-provider.ts';
import { isActive, NO_ROLE, type User } from '../../domain/access/user.ts';
import { areSameRoles } from '../../domain/access/user-roles.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  schedulesOfUser,
  switchedOffDetail,
  switchedOffEntry,
} from '../automation/switched-off-schedules.ts';
import { UseCase } from '../base/use-case.ts';

/** Names that are tried for a new account: `ann`, `ann-2`, and so on. */
const MAX_NAMES = 50;
const MAX_SHOWN_GROUPS = 10;
const NO_ROLES: Roles = { role: null, tagRoles: [] };

/** As much of a provider as it takes to have users from it. */
type Voucher = Pick<SsoProvider, 'name' | 'label' | 'roles' | 'groupsClaim'>;

/**
 * The accounts of users who sign in at a provider. An account belongs to one subject of one issuer; a name or an
 * e-mail address never joins it to another account. Its role is read from the provider at each sign-in.
 */
export class SsoAccounts extends UseCase<
  'clock' | 'users.add' | 'users.change' | 'users.findByIdentity' | 'sessions.removeAll'
> {
  /** The account of a proven identity. Throws `SsoRefusal`, `last_administrator`. */
  async enter(identity: SsoIdentity, provider: Voucher, address: string): Promise<User> {
    const by = Actor.system('sso', { address });
    const user = await this.deps.users.findByIdentity(identity);
    if (user !== null && !isActive(user)) throw new SsoRefusal('account_disabled');
    const roles = identity.groups === null ? null : rolesOfGroups(provider.roles, identity.groups);
    if (roles === null) {
      if (user !== null) await this.#withdraw(by, user, identity);
      throw ssoRefusalOf(identity, provider);
    }
    if (user === null) return this.#create(by, identity, provider, roles);
    return areSameRoles(user, roles) ? user : this.#setRoles(by, user, roles);
  }

  async #create(by: Actor, identity: SsoIdentity, provider: Voucher, roles: Roles): Promise<User> {
    const { users, clock } = this.deps;
    const wanted = accountName(identity.names, identity.subject);
    const now = clock.now();
    for (let tried = 1; tried <= MAX_NAMES; tried += 1) {
      const name = tried === 1 ? wanted : `${wanted}-${tried}`;
      const { issuer, subject } = identity;
      const user = {
        name,
        ...roles,
        createdBy: `sso:${provider.name}`,
        createdAt: now,
        identity: { issuer, subject },
      };
      try {
        return await users.add(user, (added) => ({
          audit: [
            auditEntry(by, now, 'user.add', `user:${added.id}`, {
              name,
              ...detailOf(roles),
              provider: provider.name,
            }),
          ],
        }));
      } catch (error) {
        if (!isDomainError(error, 'name_taken')) throw error;
        // Two first sign-ins at the same time.
        const found = await users.findByIdentity(identity);
        if (found !== null) return found;
      }
    }
    throw new SsoRefusal('no_role', `There are too many accounts named ${wanted}.`);
  }

  /** The provider no longer vouches for the user: the sessions end, and without a role the rights do, too. */
  async #withdraw(by: Actor, user: User, { groups }: SsoIdentity): Promise<void> {
    await this.deps.sessions.removeAll(user.id, null);
    if (groups !== null && !areSameRoles(user, NO_ROLES)) await this.#setRoles(by, user, NO_ROLES);
  }

  async #setRoles(by: Actor, user: User, roles: Roles): Promise<User> {
    const now = this.deps.clock.now();
    return this.deps.users.change(
      user.id,
      { role: roles.role, tagRoles: () => roles.tagRoles },
      ({ name }, off: readonly Schedule[]) => ({
        audit: [
          auditEntry(by, now, 'user.set_role', `user:${user.id}`, {
            name,
            ...detailOf(roles),
            ...switchedOffDetail(off),
          }),
          ...off.map((schedule) => switchedOffEntry(by, now, schedule)),
        ],
      }),
      schedulesOfUser(now),
    );
  }
}

const detailOf = ({ role, tagRoles }: Roles): object => ({
  role: role ?? NO_ROLE,
  ...(tagRoles.length > 0 ? { tagRoles } : {}),
});

/** Of an identity without a role. */
export function ssoRefusalOf({ groups }: SsoIdentity, { groupsClaim, label }: Voucher): SsoRefusal {
  if (groups === null)
    return new SsoRefusal('groups_missing', `Its token for you has no claim "${groupsClaim}".`);
  const shown = groups.slice(0, MAX_SHOWN_GROUPS).map((group) => group.slice(0, 64));
  const yours =
    shown.length === 0 ? 'You are in no group' : `Your groups at ${label} are ${shown.join(', ')}`;
  return new SsoRefusal(
    'no_role',
    `${yours}. An administrator gives groups a role under Settings > Sign-in.`,
  );
}
