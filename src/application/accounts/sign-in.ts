import { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { DomainError } from '../../domain/errors.ts';
import { ACCOUNT_THROTTLE, ADDRESS_THROTTLE } from '../../domain/login-throttle.ts';
import { LONGEST_AGENT, type Session } from '../../domain/session.ts';
import { actorOfUser, isActive, LONGEST_PASSWORD, type User } from '../../domain/user.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { ThrottleStore } from '../ports/throttle-store.ts';
import type { UserStore } from '../ports/user-store.ts';
import { makeSecret } from './link-secret.ts';

/** The browser that somebody sits at. */
export interface Browser {
  readonly address: string;
  readonly agent: string;
}

/** A new session, with the secret that goes into the browser's cookie and nowhere else. */
export interface SignedIn {
  readonly session: Session;
  readonly secret: string;
  readonly user: User;
}

/** First step of signing in: name and password. With a second factor the session opens nothing but the next step. */
export class SignIn {
  readonly #users: UserStore;
  readonly #sessions: SessionStore;
  readonly #throttles: ThrottleStore;
  readonly #hasher: PasswordHasher;
  readonly #audit: AuditLog;
  readonly #randomness: Randomness;
  readonly #digest: Digest;
  readonly #clock: Clock;

  constructor(deps: {
    users: UserStore;
    sessions: SessionStore;
    throttles: ThrottleStore;
    hasher: PasswordHasher;
    audit: AuditLog;
    randomness: Randomness;
    digest: Digest;
    clock: Clock;
  }) {
    this.#users = deps.users;
    this.#sessions = deps.sessions;
    this.#throttles = deps.throttles;
    this.#hasher = deps.hasher;
    this.#audit = deps.audit;
    this.#randomness = deps.randomness;
    this.#digest = deps.digest;
    this.#clock = deps.clock;
  }

  /**
   * Throws `sign_in_throttled` where it comes too early after failures, and `sign_in_failed` otherwise: in the same
   * words, and after the same time, whatever was wrong.
   */
  async execute(
    given: { readonly name: string; readonly password: string },
    browser: Browser,
  ): Promise<SignedIn> {
    const name = given.name.trim().toLowerCase().slice(0, 64);
    const account = `account:${name}`;
    const address = `address:${browser.address}`;
    await this.#count(account, ACCOUNT_THROTTLE);
    await this.#count(address, ADDRESS_THROTTLE);
    const found = await this.#users.findByName(name);
    const password = given.password.length <= LONGEST_PASSWORD ? given.password : '';
    const right = await this.#hasher.verify(password, found?.credentials.passwordHash ?? null);
    if (!right || found === null || !isActive(found.user)) {
      await this.#audit.record(
        auditEntry(
          Actor.system('sign-in', { address: browser.address }),
          this.#clock.now(),
          'session.refuse',
          found === null ? 'user:unknown' : `user:${found.user.id}`,
          {},
          'sign_in_failed',
        ),
      );
      throw new DomainError('sign_in_failed', 'The name or the password is wrong.');
    }
    await this.#throttles.forgive(address);
    // With a second factor still to come, failures stay counted until it is given: it may be guessed, too.
    if (!found.user.hasTotp) await this.#throttles.clear(account);
    return this.#open(found.user, found.user.hasTotp ? 'code' : 'full', browser);
  }

  async #count(subject: string, rule: typeof ACCOUNT_THROTTLE): Promise<void> {
    const wait = await this.#throttles.count(subject, this.#clock.now(), rule);
    if (wait === 0) return;
    throw new DomainError(
      'sign_in_throttled',
      `There were too many failed tries; wait ${Math.ceil(wait / 1000)} seconds, then try again.`,
    );
  }

  async #open(user: User, stage: Session['stage'], browser: Browser): Promise<SignedIn> {
    return openSession(user, stage, browser, {
      users: this.#users,
      sessions: this.#sessions,
      randomness: this.#randomness,
      digest: this.#digest,
      clock: this.#clock,
    });
  }
}

/** A session with a secret of its own. A full one counts as a sign-in. */
export async function openSession(
  user: User,
  stage: Session['stage'],
  browser: Browser,
  deps: {
    users: Pick<UserStore, 'touch'>;
    sessions: Pick<SessionStore, 'add'>;
    randomness: Randomness;
    digest: Digest;
    clock: Clock;
  },
): Promise<SignedIn> {
  const { secret, hash } = makeSecret(deps.randomness, deps.digest);
  const now = deps.clock.now();
  const actor = actorOfUser(user, browser.address);
  const session = await deps.sessions.add(
    {
      userId: user.id,
      stage,
      createdAt: now,
      seenAt: now,
      confirmedAt: now,
      address: browser.address,
      agent: browser.agent.slice(0, LONGEST_AGENT),
    },
    hash,
    () => (stage === 'full' ? { audit: [auditEntry(actor, now, 'session.start', `user:${user.id}`)] } : {}),
  );
  if (stage === 'full') await deps.users.touch(user.id, now);
  return { session, secret, user };
}
