import type { Actor } from '../../domain/access/actor.ts';
import {
  isTwoFactorRule,
  needsTwoFactor,
  type Roles,
  TWO_FACTOR_RULES,
  type TwoFactorRule,
} from '../../domain/access/role.ts';
import { hasSecondFactor, type User, userNotFound } from '../../domain/access/user.ts';
import { topRole } from '../../domain/access/user-roles.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';

const SETTING = 'accounts.two_factor_rule';

/** Which accounts require two-factor authentication: administrators decide, and it applies to all. */
export class TwoFactorPolicy extends UseCase<'clock' | 'settings.get' | 'settings.set' | 'users.find'> {
  /** Throws `role_missing`. */
  async get(actor: Actor): Promise<TwoFactorRule> {
    actor.requireRole('administrator');
    return this.#rule();
  }

  /**
   * Takes effect with the next request of each session. Throws `role_missing`, `invalid_input`, and `two_factor_required`
   * for an administrator who does not use it themselves.
   */
  async set(actor: Actor, raw: string): Promise<TwoFactorRule> {
    actor.requireRole('administrator');
    if (!isTwoFactorRule(raw)) {
      const message = `Choose one of ${TWO_FACTOR_RULES.join(', ')}.`;
      throw new InvalidInput([{ path: '/two_factor', message }]);
    }
    if (raw !== 'none' && actor.kind === 'user' && !hasSecondFactor(await this.#self(actor))) {
      throw required('Turn on two-factor authentication for your own account first.');
    }
    const at = this.deps.clock.now();
    const audit = [auditEntry(actor, at, 'user.require_two_factor', 'user:all', { accounts: raw })];
    await this.deps.settings.set(SETTING, raw, { audit });
    return raw;
  }

  /** Whether the user's highest role requires it. */
  async covers(user: Roles): Promise<boolean> {
    return needsTwoFactor(await this.#rule(), topRole(user));
  }

  /** Whether the user has to set it up before anything else. */
  async isMissing(user: User): Promise<boolean> {
    return !hasSecondFactor(user) && (await this.covers(user));
  }

  /** Throws `two_factor_required` if the user may not be without it by their own decision. */
  async requireMayTurnOff(user: User): Promise<void> {
    if (!(await this.covers(user))) return;
    throw required('An administrator requires two-factor authentication for your role.');
  }

  async #self(actor: Actor): Promise<User> {
    const user = await this.deps.users.find(actor.id ?? 0);
    if (user === null) throw userNotFound(`"${actor.name}"`);
    return user;
  }

  /** A rule that this version does not know is taken as the strictest. */
  async #rule(): Promise<TwoFactorRule> {
    const kept = await this.deps.settings.get(SETTING);
    if (kept === null) return 'none';
    return isTwoFactorRule(kept) ? kept : 'everyone';
  }
}

const required = (sentence: string): DomainError => new DomainError('two_factor_required', sentence);
