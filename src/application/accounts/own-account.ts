import { auditEntry } from '../../domain/audit-entry.ts';
import { DomainError, type InputProblem, InvalidInput } from '../../domain/errors.ts';
import { makeRecoveryCode, normaliseRecoveryCode, RECOVERY_CODES } from '../../domain/recovery-code.ts';
import { isConfirmed } from '../../domain/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceStore } from '../ports/device-store.ts';
import type { Digest } from '../ports/digest.ts';
import type { OneTimeCodes } from '../ports/one-time-codes.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { SecretBox } from '../ports/secret-box.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { UserStore } from '../ports/user-store.ts';
import type { PasswordRules } from './password-rules.ts';
import { totpPlace } from './second-factor.ts';
import type { Visitor } from './sessions.ts';
import type { TwoFactorPolicy } from './two-factor-policy.ts';

/** What a person does with their own account. All of it asks that the password was given lately. */
export class OwnAccount {
  readonly #users: UserStore;
  readonly #sessions: SessionStore;
  readonly #devices: Pick<DeviceStore, 'removeAll'>;
  readonly #twoFactor: Pick<TwoFactorPolicy, 'covers' | 'requireMayTurnOff'>;
  readonly #rules: PasswordRules;
  readonly #hasher: PasswordHasher;
  readonly #codes: OneTimeCodes;
  readonly #box: SecretBox;
  readonly #randomness: Randomness;
  readonly #digest: Digest;
  readonly #clock: Clock;

  constructor(deps: {
    users: UserStore;
    sessions: SessionStore;
    deviceStore: Pick<DeviceStore, 'removeAll'>;
    twoFactor: Pick<TwoFactorPolicy, 'covers' | 'requireMayTurnOff'>;
    rules: PasswordRules;
    hasher: PasswordHasher;
    codes: OneTimeCodes;
    box: SecretBox;
    randomness: Randomness;
    digest: Digest;
    clock: Clock;
  }) {
    this.#users = deps.users;
    this.#sessions = deps.sessions;
    this.#devices = deps.deviceStore;
    this.#twoFactor = deps.twoFactor;
    this.#rules = deps.rules;
    this.#hasher = deps.hasher;
    this.#codes = deps.codes;
    this.#box = deps.box;
    this.#randomness = deps.randomness;
    this.#digest = deps.digest;
    this.#clock = deps.clock;
  }

  /** Ends the person's other sessions; their browsers are unknown then. Throws `confirmation_needed`, `invalid_input`. */
  async changePassword(visitor: Visitor, password: string): Promise<void> {
    this.requireConfirmed(visitor);
    const { user, session } = visitor;
    const problems: InputProblem[] = [];
    this.#rules.check(password, user.name, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    await this.#users.change(user.id, { passwordHash: await this.#hasher.hash(password) }, () =>
      this.#trail(visitor, 'user.set_password'),
    );
    await this.#sessions.removeAll(user.id, session.id);
    await this.#devices.removeAll(user.id, session.deviceId);
  }

  /** How many recovery codes the person has left. */
  async countRecoveryCodes(visitor: Visitor): Promise<number> {
    return this.#users.countRecoveryCodes(visitor.user.id);
  }

  /** A secret for the authenticator app, kept nowhere until its first code is given. */
  offerTotp(visitor: Visitor): { readonly secret: string; readonly uri: string } {
    const secret = this.#codes.secretOf(this.#randomness.bytes(20));
    return { secret, uri: this.#codes.uri(secret, visitor.user.name) };
  }

  /**
   * Turns the second factor on once a code shows that the app has the secret. Returns the recovery codes, which are
   * shown this once. Throws `confirmation_needed`, `invalid_input`.
   */
  async enableTotp(visitor: Visitor, secret: string, code: string): Promise<readonly string[]> {
    this.requireConfirmed(visitor);
    const { user, session } = visitor;
    const step = this.#codes.stepOf(secret, code.replaceAll(/\s/g, ''), this.#clock.now());
    if (step === null) {
      throw new InvalidInput([
        {
          path: '/code',
          message: 'This is not the code that the app shows now; look at the clock of the phone.',
        },
      ]);
    }
    const sealed = this.#box.seal(secret, totpPlace(user.id));
    await this.#users.change(user.id, { totpSecret: sealed }, () => this.#trail(visitor, 'user.enable_totp'));
    await this.#users.useTotpStep(user.id, step);
    await this.#sessions.removeAll(user.id, session.id);
    await this.#devices.removeAll(user.id, session.deviceId);
    return this.#newRecoveryCodes(visitor);
  }

  /** Whether the person's role needs a second factor. */
  async needsTotp(visitor: Visitor): Promise<boolean> {
    return this.#twoFactor.covers(visitor.user);
  }

  /** Throws `confirmation_needed`, and `two_factor_required` if the person's role needs it. */
  async disableTotp(visitor: Visitor): Promise<void> {
    this.requireConfirmed(visitor);
    await this.#twoFactor.requireMayTurnOff(visitor.user);
    const trail = this.#trail(visitor, 'user.disable_totp');
    await this.#users.change(visitor.user.id, { totpSecret: null }, () => trail);
    await this.#users.setRecoveryCodes(visitor.user.id, [], {});
  }

  /** New ones; the old ones are void. Throws `confirmation_needed`. */
  async renewRecoveryCodes(visitor: Visitor): Promise<readonly string[]> {
    this.requireConfirmed(visitor);
    return this.#newRecoveryCodes(visitor);
  }

  /** Throws `confirmation_needed` where the password was not given lately. */
  requireConfirmed(visitor: Visitor): void {
    if (isConfirmed(visitor.session, this.#clock.now())) return;
    throw new DomainError('confirmation_needed', 'Give your password again to go on.');
  }

  async #newRecoveryCodes(visitor: Visitor): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () =>
      makeRecoveryCode((count) => this.#randomness.bytes(count)),
    );
    const hashes = codes.map((code) => this.#digest.sha256(normaliseRecoveryCode(code) ?? ''));
    const trail = this.#trail(visitor, 'user.renew_recovery_codes');
    await this.#users.setRecoveryCodes(visitor.user.id, hashes, trail);
    return codes;
  }

  #trail({ actor, user }: Visitor, action: string) {
    return { audit: [auditEntry(actor, this.#clock.now(), action, `user:${user.id}`)] };
  }
}
