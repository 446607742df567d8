import { MAX_PASSKEYS, type Passkey, passkeyName } from '../../domain/access/passkey.ts';
import { hasSecondFactor } from '../../domain/access/user.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { OwnAccount } from './own-account.ts';
import type { Asked, Challenge, PasskeyProofs } from './passkey-proofs.ts';
import type { RecoveryCodes } from './recovery-codes.ts';
import type { Visitor } from './sessions.ts';
import type { TwoFactorPolicy } from './two-factor-policy.ts';

interface Deps {
  readonly passkeyProofs: PasskeyProofs;
  readonly ownAccount: Pick<OwnAccount, 'requireConfirmed'>;
  readonly twoFactor: Pick<TwoFactorPolicy, 'requireMayTurnOff'>;
  readonly recoveryCodes: RecoveryCodes;
}

/** A challenge to create a passkey. */
export interface PasskeyCreation extends Challenge {
  /** The user's name in it. */
  readonly userHandle: string;
  /** What the user has: their devices create no second one. */
  readonly known: readonly Passkey[];
}

/** A user's own passkeys. Changes require a recent confirmation. */
export class OwnPasskeys extends UseCase<
  'passkeys' | 'clock' | 'sessions.removeAll' | 'deviceStore.removeAll',
  Deps
> {
  async list({ user }: Visitor): Promise<readonly Passkey[]> {
    return this.deps.passkeys.list(user.id);
  }

  /** Throws `confirmation_needed`, `invalid_input` for one too many, `PasskeyRefusal`. */
  async start(visitor: Visitor, origin: string): Promise<PasskeyCreation> {
    this.deps.ownAccount.requireConfirmed(visitor);
    const { passkeys, passkeyProofs } = this.deps;
    const known = await passkeys.list(visitor.user.id);
    if (known.length >= MAX_PASSKEYS) {
      const message = `You have ${MAX_PASSKEYS} passkeys already. Remove one first.`;
      throw new InvalidInput([{ path: '', message }]);
    }
    const asked = await passkeyProofs.ask(askedOf(visitor), origin);
    return { ...asked, userHandle: passkeyProofs.handleOf(visitor.user), known };
  }

  /**
   * Adds the passkey in the browser's answer. If that turns on two-factor authentication, other sessions end, and the
   * recovery codes are returned, which are shown this once. Throws `confirmation_needed`, `invalid_input`,
   * `PasskeyRefusal`.
   */
  async add(
    visitor: Visitor,
    given: { readonly name: string; readonly answer: string },
    origin: string,
  ): Promise<readonly string[] | null> {
    this.deps.ownAccount.requireConfirmed(visitor);
    const { passkeys, passkeyProofs, sessions, deviceStore, clock } = this.deps;
    const { user, session } = visitor;
    const name = passkeyName(given.name);
    const made = await passkeyProofs.readNew(given.answer, askedOf(visitor), origin);
    const passkey = { ...made, userId: user.id, name, createdAt: clock.now() };
    await passkeys.add(passkey, MAX_PASSKEYS, ({ id }) =>
      this.#record(visitor, 'user.add_passkey', id, name),
    );
    if (hasSecondFactor(user)) return null;
    await sessions.removeAll(user.id, session.id);
    await deviceStore.removeAll(user.id, session.deviceId);
    return this.deps.recoveryCodes.renew(visitor);
  }

  /** Throws `confirmation_needed`, `invalid_input`, `passkey_not_found`. */
  async rename(visitor: Visitor, id: number, raw: string): Promise<string> {
    this.deps.ownAccount.requireConfirmed(visitor);
    const name = passkeyName(raw);
    const record = this.#record(visitor, 'user.rename_passkey', id, name);
    await this.deps.passkeys.rename(visitor.user.id, id, name, record);
    return name;
  }

  /**
   * The user's other sessions end: one of them may have been opened with it. Throws `confirmation_needed`,
   * `passkey_not_found`, and `two_factor_required` if that turns off two-factor authentication and the role requires it.
   */
  async remove(visitor: Visitor, id: number): Promise<void> {
    this.deps.ownAccount.requireConfirmed(visitor);
    const { passkeys, sessions, twoFactor } = this.deps;
    const { user, session } = visitor;
    if (!user.hasTotp && user.passkeys <= 1) await twoFactor.requireMayTurnOff(user);
    await passkeys.remove(user.id, id, this.#record(visitor, 'user.remove_passkey', id));
    await sessions.removeAll(user.id, session.id);
  }

  #record({ actor, user }: Visitor, action: string, passkey: number, name?: string) {
    const detail = { passkey, ...(name === undefined ? {} : { passkey_name: name }) };
    return { audit: [auditEntry(actor, this.deps.clock.now(), action, `user:${user.id}`, detail)] };
  }
}

const askedOf = ({ session }: Visitor): Asked => ({ purpose: 'register', boundTo: `session:${session.id}` });
