import { MAX_AGENT_LENGTH, type Session } from '../../domain/access/session.ts';
import {
  actorOfUser,
  hasSecondFactor,
  isActive,
  MAX_PASSWORD_LENGTH,
  type User,
} from '../../domain/access/user.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import type { SessionStore } from '../ports/access/session-store.ts';
import type { UserStore } from '../ports/access/user-store.ts';
import type { KnownDevices } from './known-devices.ts';
import { makeSecret } from './link-secret.ts';
import type { RequireSso } from './require-sso.ts';
import type { SignInTries } from './sign-in-tries.ts';

/** The browser of the sign-in. */
export interface Browser {
  readonly address: string;
  readonly agent: string;
  /** The secret in its device cookie, as it was sent; null without one. */
  readonly device: string | null;
}

/** A new session, with the secret that goes into the browser's cookie and nowhere else. */
export interface SignedIn {
  readonly session: Session;
  readonly secret: string;
  readonly user: User;
  /** The new secret for the browser's device cookie; null while a code is still to come. */
  readonly device: string | null;
}

/** What opening a session needs. */
interface OpenDeps extends Pick<Ports, 'randomness' | 'digest' | 'clock'> {
  readonly users: Pick<UserStore, 'touch'>;
  readonly sessions: Pick<SessionStore, 'add'>;
  readonly devices: KnownDevices;
}

interface SignInDeps {
  readonly devices: KnownDevices;
  readonly tries: SignInTries;
  readonly requireSso: Pick<RequireSso, 'allowsPassword'>;
}

/**
 * First step of signing in: name and password. With two-factor authentication the session only allows the next step.
 */
export class SignIn extends UseCase<
  'users' | 'sessions' | 'hasher' | 'randomness' | 'digest' | 'clock',
  SignInDeps
> {
  /** Whether an administrator can sign in. */
  async isSetUp(): Promise<boolean> {
    return this.deps.users.hasAdministrator();
  }

  /**
   * Throws `sign_in_throttled` if it comes too early after failures, and `sign_in_failed` otherwise: in the same
   * words, and after the same time, whatever was wrong.
   */
  async execute(
    given: { readonly name: string; readonly password: string },
    browser: Browser,
  ): Promise<SignedIn> {
    const { users, devices, tries, hasher } = this.deps;
    const name = given.name.trim().toLowerCase().slice(0, 64);
    const found = await users.findByName(name);
    const user = found?.user ?? null;
    const deviceId = await devices.find(user?.id ?? null, browser.device);
    const counted = await tries.countName(name, user, { address: browser.address, deviceId });
    const password = given.password.length <= MAX_PASSWORD_LENGTH ? given.password : '';
    const right = await hasher.verify(password, found?.credentials.passwordHash ?? null);
    // In the same words if passwords are off: no one learns that a password is right.
    if (!right || user === null || !isActive(user) || !(await this.deps.requireSso.allowsPassword(user))) {
      await tries.refuse('account', user, browser.address, 'sign_in_failed');
      throw new DomainError('sign_in_failed', 'The name or the password is wrong.');
    }
    // Until the one-time code is given, failures stay counted: it may be guessed, too.
    const stage = hasSecondFactor(user) ? 'code' : 'full';
    if (stage === 'code') await tries.forgive(counted);
    else await tries.clear(counted);
    return openSession(user, { stage, deviceId }, browser, this.deps);
  }
}

const detailOf = ({ provider, passkey }: { provider?: string | null; passkey?: number }) => ({
  ...(provider ? { provider } : {}),
  ...(passkey === undefined ? {} : { passkey }),
});

/** A session with a new secret. A full one counts as a sign-in, and the browser is recognized next time. */
export async function openSession(
  user: User,
  step: Pick<Session, 'stage' | 'deviceId'> &
    Partial<Pick<Session, 'provider' | 'hasTwoFactors' | 'confirmedAt'>> & { readonly passkey?: number },
  browser: Browser,
  deps: OpenDeps,
): Promise<SignedIn> {
  const { secret, hash } = makeSecret(deps.randomness, deps.digest);
  const now = deps.clock.now();
  const actor = actorOfUser(user, browser.address);
  const isFull = step.stage === 'full';
  const device = isFull ? await deps.devices.remember(user.id, browser.device) : null;
  const session = await deps.sessions.add(
    {
      userId: user.id,
      stage: step.stage,
      createdAt: now,
      seenAt: now,
      confirmedAt: step.confirmedAt ?? now,
      address: browser.address,
      agent: browser.agent.slice(0, MAX_AGENT_LENGTH),
      deviceId: device?.id ?? step.deviceId,
      provider: step.provider ?? null,
      hasTwoFactors: step.hasTwoFactors ?? false,
    },
    hash,
    () =>
      isFull
        ? {
            audit: [auditEntry(actor, now, 'session.start', `user:${user.id}`, detailOf(step))],
          }
        : {},
  );
  if (isFull) await deps.users.touch(user.id, now);
  return { session, secret, user, device: device?.secret ?? null };
}
