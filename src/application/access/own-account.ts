import { isConfirmed } from '../../domain/access/session.ts';
import { DomainError, type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { PasswordRules } from './password-rules.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import { totpPlace } from './second-factor.ts';
import type { Visitor } from './sessions.ts';
import type { TwoFactorPolicy } from './two-factor-policy.ts';

interface Deps {
  readonly twoFactor: Pick<TwoFactorPolicy, 'covers' | 'requireMayTurnOff'>;
  readonly passwordRules: PasswordRules;
  readonly recoveryCodes: RecoveryCodes;
}

/** What users do with their own account. All of it requires a recent password confirmation. */
export class OwnAccount extends UseCase<
  'users' | 'sessions' | 'hasher' | 'codes' | 'box' | 'randomness' | 'clock' | 'deviceStore.removeAll',
  Deps
> {
  /** Ends the user's other sessions; their browsers become unknown. Throws `confirmation_needed`, `invalid_input`. */
  async changePassword(visitor: Visitor, password: string): Promise<void> {
    this.requireConfirmed(visitor);
    const { user, session } = visitor;
    if (user.issuer !== null && !user.hasPassword)
      throw new DomainError('role_missing', 'You sign in with single sign-on: change your password there.');
    const problems: InputProblem[] = [];
    await this.deps.passwordRules.check(password, user.name, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    await this.deps.users.change(user.id, { passwordHash: await this.deps.hasher.hash(password) }, () =>
      this.#record(visitor, 'user.set_password'),
    );
    await this.deps.sessions.removeAll(user.id, session.id);
    await this.deps.deviceStore.removeAll(user.id, session.deviceId);
  }

  /** How many recovery codes are left. */
  async countRecoveryCodes(visitor: Visitor): Promise<number> {
    return this.deps.users.countRecoveryCodes(visitor.user.id);
  }

  /** A secret for the authenticator app, kept nowhere until its first code is given. */
  offerTotp(visitor: Visitor): { readonly secret: string; readonly uri: string } {
    const secret = this.deps.codes.secretOf(this.deps.randomness.bytes(20));
    return { secret, uri: this.deps.codes.uri(secret, visitor.user.name) };
  }

  /**
   * Turns two-factor authentication on once a code shows that the app has the secret. Returns the recovery codes,
   * which are shown this once. Throws `confirmation_needed`, `invalid_input`.
   */
  async enableTotp(visitor: Visitor, secret: string, code: string): Promise<readonly string[]> {
    this.requireConfirmed(visitor);
    const { user, session } = visitor;
    const step = this.deps.codes.stepOf(secret, code.replaceAll(/\s/g, ''), this.deps.clock.now());
    if (step === null) {
      throw new InvalidInput([
        {
          path: '/code',
          message: "This is not the app's current code. Check your phone's clock.",
        },
      ]);
    }
    const sealed = this.deps.box.seal(secret, totpPlace(user.id));
    await this.deps.users.change(user.id, { totpSecret: sealed }, () =>
      this.#record(visitor, 'user.enable_totp'),
    );
    await this.deps.users.useTotpStep(user.id, step);
    await this.deps.sessions.removeAll(user.id, session.id);
    await this.deps.deviceStore.removeAll(user.id, session.deviceId);
    return this.deps.recoveryCodes.renew(visitor);
  }

  /** Whether the user's role requires two-factor authentication. */
  async needsTotp(visitor: Visitor): Promise<boolean> {
    return this.deps.twoFactor.covers(visitor.user);
  }

  /** Throws `confirmation_needed`, and `two_factor_required` if the user's role requires it and there is no passkey. */
  async disableTotp(visitor: Visitor): Promise<void> {
    this.requireConfirmed(visitor);
    if (visitor.user.passkeys === 0) await this.deps.twoFactor.requireMayTurnOff(visitor.user);
    const record = this.#record(visitor, 'user.disable_totp');
    await this.deps.users.change(visitor.user.id, { totpSecret: null }, () => record);
  }

  /** New ones; the old ones are void. Throws `confirmation_needed`. */
  async renewRecoveryCodes(visitor: Visitor): Promise<readonly string[]> {
    this.requireConfirmed(visitor);
    return this.deps.recoveryCodes.renew(visitor);
  }

  /** Throws `confirmation_needed` unless the password was confirmed recently. */
  requireConfirmed(visitor: Visitor): void {
    if (isConfirmed(visitor.session, this.deps.clock.now())) return;
    throw new DomainError('confirmation_needed', 'Enter your password again to continue.');
  }

  #record({ actor, user }: Visitor, action: string) {
    return { audit: [auditEntry(actor, this.deps.clock.now(), action, `user:${user.id}`)] };
  }
}
