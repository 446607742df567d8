import type { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { DomainError } from '../../domain/errors.ts';
import { ACCOUNT_THROTTLE } from '../../domain/login-throttle.ts';
import { isAlive, isUseWorthKeeping, type Session } from '../../domain/session.ts';
import { actorOfUser, isActive, type User } from '../../domain/user.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { ThrottleStore } from '../ports/throttle-store.ts';
import type { UserStore } from '../ports/user-store.ts';
import { looksLikeSecret } from './link-secret.ts';
import type { SecondFactor } from './second-factor.ts';
import { type Browser, openSession, type SignedIn } from './sign-in.ts';

/** Somebody who is signed in: who they are, and by which session. */
export interface Visitor {
  readonly session: Session;
  readonly user: User;
  readonly actor: Actor;
}

interface SessionDeps {
  users: UserStore;
  sessions: SessionStore;
  throttles: ThrottleStore;
  hasher: PasswordHasher;
  secondFactor: SecondFactor;
  randomness: Randomness;
  digest: Digest;
  clock: Clock;
}

/** Finds out whom a cookie stands for. */
export class ResumeSession {
  readonly #sessions: SessionStore;
  readonly #digest: Digest;
  readonly #clock: Clock;

  constructor(deps: Pick<SessionDeps, 'sessions' | 'digest' | 'clock'>) {
    this.#sessions = deps.sessions;
    this.#digest = deps.digest;
    this.#clock = deps.clock;
  }

  /**
   * Null where the session is unknown or over, or its user may not sign in any more. What an open page asks for by itself
   * is no use of the session: one that is left open ends as if it were closed.
   */
  async execute(secret: string, address: string, use: 'counts' | 'none'): Promise<Visitor | null> {
    if (!looksLikeSecret(secret)) return null;
    const found = await this.#sessions.findByHash(this.#digest.sha256(secret));
    const now = this.#clock.now();
    if (found === null || !isAlive(found.session, now) || !isActive(found.user)) return null;
    if (use === 'counts' && isUseWorthKeeping(found.session, now))
      await this.#sessions.touch(found.session.id, now);
    return { ...found, actor: actorOfUser(found.user, address) };
  }
}

/** Second step of signing in. The session of the first step ends, and a full one with another secret begins. */
export class GiveCode {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Throws `not_signed_in`, `sign_in_throttled`, `sign_in_failed`. */
  async execute(visitor: Visitor, code: string, browser: Browser): Promise<SignedIn> {
    const { sessions, throttles, secondFactor, clock } = this.#deps;
    const { session, user } = visitor;
    if (session.stage !== 'code')
      throw new DomainError('not_signed_in', 'Sign in with name and password first.');
    const subject = `code:${user.id}`;
    const wait = await throttles.count(subject, clock.now(), ACCOUNT_THROTTLE);
    if (wait > 0) throw tooEarly(wait);
    await secondFactor.use(user, code);
    await throttles.clear(subject);
    await throttles.clear(`account:${user.name}`);
    await sessions.remove(user.id, session.id, {});
    return openSession(user, 'full', browser, this.#deps);
  }
}

/** Asks for the password again before something that a left-open browser must not do. */
export class ConfirmPassword {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Throws `sign_in_throttled`, `sign_in_failed`. */
  async execute(visitor: Visitor, password: string): Promise<void> {
    const { users, sessions, throttles, hasher, clock } = this.#deps;
    const { user, session } = visitor;
    const subject = `confirm:${user.id}`;
    const wait = await throttles.count(subject, clock.now(), ACCOUNT_THROTTLE);
    if (wait > 0) throw tooEarly(wait);
    const found = await users.findByName(user.name);
    if (!(await hasher.verify(password, found?.credentials.passwordHash ?? null))) {
      throw new DomainError('sign_in_failed', 'The password is wrong.');
    }
    await throttles.clear(subject);
    await sessions.confirm(session.id, clock.now());
  }
}

/** The sessions of one person, as they see them, and their end. */
export class ManageSessions {
  readonly #sessions: SessionStore;
  readonly #clock: Clock;

  constructor(deps: Pick<SessionDeps, 'sessions' | 'clock'>) {
    this.#sessions = deps.sessions;
    this.#clock = deps.clock;
  }

  /** Those that are alive, latest use first. */
  async list(visitor: Visitor): Promise<readonly Session[]> {
    const now = this.#clock.now();
    return (await this.#sessions.list(visitor.user.id)).filter((session) => isAlive(session, now));
  }

  /** Ends one of the person's own sessions, this one too; one that is not there is over already. */
  async end(visitor: Visitor, id: number): Promise<void> {
    const { actor, user } = visitor;
    const audit = [auditEntry(actor, this.#clock.now(), 'session.end', `user:${user.id}`)];
    await this.#sessions.remove(user.id, id, { audit });
  }

  /** Ends all of the person's other sessions. Returns how many. */
  async endOthers(visitor: Visitor): Promise<number> {
    return this.#sessions.removeAll(visitor.user.id, visitor.session.id);
  }
}

const tooEarly = (wait: number): DomainError =>
  new DomainError(
    'sign_in_throttled',
    `There were too many failed tries; wait ${Math.ceil(wait / 1000)} seconds, then try again.`,
  );
