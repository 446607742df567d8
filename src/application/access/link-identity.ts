import type { Actor } from '../../domain/access/actor.ts';
import { type SsoIdentity, SsoRefusal } from '../../domain/access/sso-identity.ts';
import { rolesOfGroups, type SsoProvider } from '../../domain/access/sso-provider.ts';
import type { User } from '../../domain/access/user.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { OwnAccount } from './own-account.ts';
import type { RequireSso } from './require-sso.ts';
import type { Visitor } from './sessions.ts';
import { ssoRefusalOf } from './sso-accounts.ts';

/** Joins an account that has a password to an identity at a provider, and separates them again. */
export class LinkIdentity extends UseCase<
  'clock' | 'users.change' | 'sessions.removeAll',
  {
    readonly ownAccount: Pick<OwnAccount, 'requireConfirmed'>;
    readonly requireSso: Pick<RequireSso, 'isRequired' | 'isBreakGlass'>;
  }
> {
  /** Throws `confirmation_needed`, and `SsoRefusal` for accounts that cannot be linked. */
  async requireMay(visitor: Visitor): Promise<void> {
    this.deps.ownAccount.requireConfirmed(visitor);
    const { user } = visitor;
    if (user.issuer !== null || !user.hasPassword) throw new SsoRefusal('already_linked');
    // It has to work if the provider does not, and the provider decides about roles.
    if (await this.deps.requireSso.isBreakGlass(user)) throw new SsoRefusal('break_glass');
  }

  /**
   * From now on the user can also sign in there, which sets the role that the groups give. Throws as `requireMay`, and
   * `SsoRefusal` for an identity without a role, or of another account.
   */
  async link(visitor: Visitor, identity: SsoIdentity, provider: SsoProvider): Promise<void> {
    await this.requireMay(visitor);
    const { user, actor } = visitor;
    const roles = identity.groups === null ? null : rolesOfGroups(provider.roles, identity.groups);
    if (roles === null) throw ssoRefusalOf(identity, provider);
    const { issuer, subject } = identity;
    const detail = { name: user.name, provider: provider.name, issuer };
    const audit = [auditEntry(actor, this.deps.clock.now(), 'user.link', `user:${user.id}`, detail)];
    try {
      await this.deps.users.change(user.id, { identity: { issuer, subject } }, () => ({ audit }));
    } catch (error) {
      if (isDomainError(error, 'name_taken')) throw new SsoRefusal('identity_taken');
      throw error;
    }
  }

  /** Their other sessions end. Throws `confirmation_needed`, and `role_missing` if they could no longer sign in. */
  async unlink(visitor: Visitor): Promise<void> {
    this.deps.ownAccount.requireConfirmed(visitor);
    if (await this.deps.requireSso.isRequired())
      throw new DomainError('role_missing', 'Single sign-on is required, so your account stays linked.');
    await this.#unlink(visitor.actor, visitor.user, visitor.session.id);
  }

  /** For administrators. The user's sessions end. Throws `role_missing`. */
  async unlinkUser(actor: Actor, user: User): Promise<void> {
    actor.requireRole('administrator');
    await this.#unlink(actor, user, null);
  }

  async #unlink(actor: Actor, { id, name, issuer, hasPassword }: User, keep: number | null): Promise<void> {
    if (issuer === null) return;
    if (!hasPassword) {
      throw new DomainError(
        'role_missing',
        'This account has no password, so it can only sign in at its provider.',
      );
    }
    const audit = [auditEntry(actor, this.deps.clock.now(), 'user.unlink', `user:${id}`, { name, issuer })];
    await this.deps.users.change(id, { identity: null }, () => ({ audit }));
    await this.deps.sessions.removeAll(id, keep);
  }
}
