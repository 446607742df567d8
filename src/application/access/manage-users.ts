import type { Actor } from '../../domain/access/actor.ts';
import type { Passkey } from '../../domain/access/passkey.ts';
import { NO_ROLE, type User, userName, userNotFound, userRole } from '../../domain/access/user.ts';
import { tagRole, withTagRole } from '../../domain/access/user-roles.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import type { UserOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type ChangedUser,
  schedulesOfUser,
  switchedOffDetail,
  switchedOffEntry,
} from '../automation/switched-off-schedules.ts';
import { UseCase } from '../base/use-case.ts';
import type { UserChange } from '../ports/access/user-store.ts';
import type { OfferedLink, OfferPasswordLink } from './account-links.ts';
import type { SignInTries } from './sign-in-tries.ts';
import type { TwoFactorPolicy } from './two-factor-policy.ts';

interface Deps {
  readonly tries: Pick<SignInTries, 'clearName'>;
  readonly offerPasswordLink: OfferPasswordLink;
  readonly twoFactor: Pick<TwoFactorPolicy, 'requireMayTurnOff'>;
}

/** User accounts and their roles. For administrators and the operator at the command line. */
export class ManageUsers extends UseCase<
  | 'users'
  | 'sessions'
  | 'clock'
  | 'deviceStore.removeAll'
  | 'passkeys.list'
  | 'passkeys.remove'
  | 'subscriptions.list'
  | 'subscriptions.remove',
  Deps
> {
  async list(actor: Actor, page: PageRequest, order?: UserOrder): Promise<Page<User>> {
    actor.requireRole('administrator');
    return this.deps.users.list(page, order);
  }

  /** Throws `user_not_found`. */
  async get(actor: Actor, name: string): Promise<User> {
    actor.requireRole('administrator');
    const found = await this.deps.users.findByName(name.trim().toLowerCase());
    if (found === null) throw userNotFound(`"${name.slice(0, 64)}"`);
    return found.user;
  }

  /** Invites a user, who sets a password by the link. Throws `invalid_input`, `name_taken`. */
  async invite(
    actor: Actor,
    asked: { readonly name: string; readonly role: string },
  ): Promise<{ readonly user: User; readonly link: OfferedLink }> {
    actor.requireRole('administrator');
    const problems: InputProblem[] = [];
    const name = userName(asked.name, problems);
    const role = userRole(asked.role, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    const now = this.deps.clock.now();
    const user = await this.deps.users.add(
      { name, role, createdBy: actor.label, createdAt: now },
      (added) => ({
        audit: [auditEntry(actor, now, 'user.invite', `user:${added.id}`, { name, role: role ?? NO_ROLE })],
      }),
    );
    return { user, link: await this.deps.offerPasswordLink.execute(actor, user) };
  }

  /** A new link by which the user sets a password. Their old password stays until they do. */
  async offerLink(actor: Actor, user: User): Promise<OfferedLink> {
    const link = await this.deps.offerPasswordLink.execute(actor, user);
    await this.deps.tries.clearName(user, null);
    return link;
  }

  /**
   * Throws `invalid_input`, `last_administrator`. Takes effect with the next request of the user's browsers;
   * schedules that the user can no longer run are disabled.
   */
  async setRole(actor: Actor, user: User, role: string): Promise<ChangedUser> {
    const problems: InputProblem[] = [];
    const wanted = userRole(role, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    return this.#change(actor, user, 'user.set_role', { role: wanted }, { role: wanted ?? NO_ROLE });
  }

  /**
   * A role on the servers with a tag, in place of an earlier one; `null`: none. Throws `invalid_input`. Takes effect as
   * `setRole` does.
   */
  async setTagRole(actor: Actor, user: User, tag: string, role: string | null): Promise<ChangedUser> {
    const problems: InputProblem[] = [];
    const wanted = role === null ? null : tagRole(role, problems);
    const wantedTag = tag.trim();
    withTagRole(user.tagRoles, wantedTag, wanted, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    const tagRoles: UserChange['tagRoles'] = (before) => withTagRole(before, wantedTag, wanted, []);
    const action = wanted === null ? 'user.revoke' : 'user.grant';
    const facts = { tag: wantedTag, ...(wanted === null ? {} : { role: wanted }) };
    return this.#change(actor, user, action, { tagRoles }, facts);
  }

  /** Ends their sessions and push subscriptions, and switches off their schedules. Throws `last_administrator`. */
  async disable(actor: Actor, user: User): Promise<ChangedUser> {
    const disabled = await this.#change(actor, user, 'user.disable', { disabledAt: this.deps.clock.now() });
    await this.#forgetBrowsers(user);
    for (const { id } of await this.deps.subscriptions.list(user.id))
      await this.deps.subscriptions.remove(id, {});
    return disabled;
  }

  async enable(actor: Actor, user: User): Promise<User> {
    return (await this.#change(actor, user, 'user.enable', { disabledAt: null })).user;
  }

  /**
   * For users who lost their devices and their recovery codes: passkeys go, too. Their sessions end. Throws `two_factor_required` for the
   * actor's own account, if its role requires it.
   */
  async removeSecondFactor(actor: Actor, user: User): Promise<User> {
    if (actor.kind === 'user' && actor.id === user.id) await this.deps.twoFactor.requireMayTurnOff(user);
    const changed = await this.#change(actor, user, 'user.remove_totp', { totpSecret: null, passkeys: 0 });
    await this.#forgetBrowsers(user);
    return changed.user;
  }

  async listPasskeys(actor: Actor, user: User): Promise<readonly Passkey[]> {
    actor.requireRole('administrator');
    return this.deps.passkeys.list(user.id);
  }

  /** For a lost device. The user's sessions end. Throws `passkey_not_found`, `two_factor_required` as above. */
  async removePasskey(actor: Actor, user: User, id: number): Promise<void> {
    actor.requireRole('administrator');
    const isOwn = actor.kind === 'user' && actor.id === user.id;
    if (isOwn && !user.hasTotp && user.passkeys <= 1) await this.deps.twoFactor.requireMayTurnOff(user);
    const detail = { name: user.name, passkey: id };
    const entry = auditEntry(actor, this.deps.clock.now(), 'user.remove_passkey', `user:${user.id}`, detail);
    await this.deps.passkeys.remove(user.id, id, { audit: [entry] });
    await this.#forgetBrowsers(user);
  }

  /** Signs a user out everywhere; their browsers become unknown. */
  async endSessions(actor: Actor, user: User): Promise<User> {
    const { disabledAt } = user;
    const changed = await this.#change(actor, user, 'user.end_sessions', { disabledAt });
    await this.#forgetBrowsers(user);
    return changed.user;
  }

  async #forgetBrowsers(user: User): Promise<void> {
    await this.deps.sessions.removeAll(user.id, null);
    await this.deps.deviceStore.removeAll(user.id, null);
  }

  async #change(
    actor: Actor,
    user: User,
    action: string,
    change: UserChange,
    facts: { readonly [key: string]: unknown } = {},
  ): Promise<ChangedUser> {
    actor.requireRole('administrator');
    const now = this.deps.clock.now();
    let off: readonly Schedule[] = [];
    const changed = await this.deps.users.change(
      user.id,
      change,
      ({ name }, switchedOff) => {
        off = switchedOff;
        const detail = { name, ...facts, ...switchedOffDetail(off) };
        return {
          audit: [
            auditEntry(actor, now, action, `user:${user.id}`, detail),
            ...off.map((schedule) => switchedOffEntry(actor, now, schedule)),
          ],
        };
      },
      schedulesOfUser(now),
    );
    return { user: changed, switchedOff: off };
  }
}
