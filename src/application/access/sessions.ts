import type { Actor } from '../../domain/access/actor.ts';
import { isAlive, isConfirmed, isUseWorthKeeping, type Session } from '../../domain/access/session.ts';
import { actorOfUser, isActive, type User } from '../../domain/access/user.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import type { KnownDevices } from './known-devices.ts';
import { looksLikeSecret, makeSecret } from './link-secret.ts';
import type { SecondFactor } from './second-factor.ts';
import { type Browser, openSession, type SignedIn } from './sign-in.ts';
import type { SignInTries } from './sign-in-tries.ts';
import type { TwoFactorPolicy } from './two-factor-policy.ts';

/** A signed-in user, and the session. */
export interface Visitor {
  readonly session: Session;
  readonly user: User;
  readonly actor: Actor;
  /** The role needs two-factor authentication, and the account has none: until then the actor may do nothing. */
  readonly mustSetUpTwoFactor: boolean;
}

/** Finds the session of a cookie. */
export class ResumeSession extends UseCase<
  'sessions' | 'digest' | 'clock',
  { readonly twoFactor: Pick<TwoFactorPolicy, 'isMissing'> }
> {
  /**
   * Null if the session is unknown or over, or its user can no longer sign in. Automatic requests of an open page do
   * not extend the session: one that is left open expires as if it were closed.
   */
  async execute(secret: string, address: string, use: 'counts' | 'none'): Promise<Visitor | null> {
    if (!looksLikeSecret(secret)) return null;
    const found = await this.deps.sessions.findByHash(this.deps.digest.sha256(secret));
    const now = this.deps.clock.now();
    if (found === null || !isAlive(found.session, now) || !isActive(found.user)) return null;
    if (use === 'counts' && isUseWorthKeeping(found.session, now))
      await this.deps.sessions.touch(found.session.id, now);
    const mustSetUpTwoFactor =
      !found.session.hasTwoFactors && (await this.deps.twoFactor.isMissing(found.user));
    const actor = mustSetUpTwoFactor
      ? actorOfUser(found.user, address).barred()
      : actorOfUser(found.user, address, isConfirmed(found.session, now));
    return { ...found, actor, mustSetUpTwoFactor };
  }
}

/** Second step of signing in. Replaces the session of the first step by a full one with a new secret. */
export class GiveCode extends UseCase<
  'users' | 'sessions' | 'randomness' | 'digest' | 'clock',
  { readonly devices: KnownDevices; readonly tries: SignInTries; readonly secondFactor: SecondFactor }
> {
  /** Throws `not_signed_in`, `sign_in_throttled`, `sign_in_failed`. */
  async execute(visitor: Visitor, code: string, browser: Browser): Promise<SignedIn> {
    const { sessions, tries, secondFactor } = this.deps;
    const { session, user } = visitor;
    if (session.stage !== 'code')
      throw new DomainError('not_signed_in', 'Sign in with name and password first.');
    const { deviceId, provider } = session;
    const counted = await tries.countProof('code', user, { address: browser.address, deviceId });
    if (!(await secondFactor.use(user, code))) {
      await tries.refuse('code', user, browser.address, 'sign_in_failed');
      throw new DomainError('sign_in_failed', 'The code is wrong, or was already used.');
    }
    await tries.clear(counted);
    await tries.clearName(user, deviceId);
    await sessions.remove(user.id, session.id, {});
    return openSession(user, { stage: 'full', deviceId, provider }, browser, this.deps);
  }
}

/** The user proved who they are: the session is confirmed, under a new secret. The previous one is worthless. */
export async function confirmSession(
  { session }: Visitor,
  { sessions, randomness, digest, clock }: Pick<Ports, 'sessions' | 'randomness' | 'digest' | 'clock'>,
): Promise<string> {
  const { secret, hash } = makeSecret(randomness, digest);
  await sessions.confirm(session.id, clock.now(), hash);
  return secret;
}

/** Asks for the password again before something that a left-open browser must not do. */
export class ConfirmPassword extends UseCase<
  'users' | 'sessions' | 'hasher' | 'randomness' | 'digest' | 'clock',
  { readonly tries: SignInTries }
> {
  /** Returns the session's new secret. Throws `sign_in_throttled`, `sign_in_failed`. */
  async execute(visitor: Visitor, password: string, address: string): Promise<string> {
    const { users, tries, hasher } = this.deps;
    const { user, session } = visitor;
    const counted = await tries.countProof('confirm', user, { address, deviceId: session.deviceId });
    const found = await users.findByName(user.name);
    if (!(await hasher.verify(password, found?.credentials.passwordHash ?? null))) {
      await tries.refuse('confirm', user, address, 'sign_in_failed');
      throw new DomainError('sign_in_failed', 'The password is wrong.');
    }
    await tries.clear(counted);
    return confirmSession(visitor, this.deps);
  }
}

/** A user's sessions: list and end them. */
export class ManageSessions extends UseCase<
  'sessions' | 'clock' | 'deviceStore.remove' | 'deviceStore.removeAll'
> {
  /** Those that are alive, latest use first. */
  async list(visitor: Visitor): Promise<readonly Session[]> {
    const now = this.deps.clock.now();
    return (await this.deps.sessions.list(visitor.user.id)).filter((session) => isAlive(session, now));
  }

  /**
   * Ends one of the user's own sessions, possibly this one; an unknown one has ended already. A different browser
   * becomes unknown; this one stays known after it signs out.
   */
  async end(visitor: Visitor, id: number): Promise<void> {
    const { actor, user, session } = visitor;
    const audit = [auditEntry(actor, this.deps.clock.now(), 'session.end', `user:${user.id}`)];
    const ended = (await this.deps.sessions.list(user.id)).find((each) => each.id === id);
    await this.deps.sessions.remove(user.id, id, { audit });
    const deviceId = ended?.deviceId ?? null;
    if (deviceId !== null && deviceId !== session.deviceId)
      await this.deps.deviceStore.remove(user.id, deviceId);
  }

  /** Ends all of the user's other sessions; their browsers become unknown. Returns how many. */
  async endOthers(visitor: Visitor): Promise<number> {
    const { user, session } = visitor;
    await this.deps.deviceStore.removeAll(user.id, session.deviceId);
    return this.deps.sessions.removeAll(user.id, session.id);
  }
}
