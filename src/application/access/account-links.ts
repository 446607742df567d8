import { Actor } from '../../domain/access/actor.ts';
import { type User, userName } from '../../domain/access/user.ts';
import { DomainError, type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { HOUR, type Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import { looksLikeSecret, makeSecret } from './link-secret.ts';
import type { PasswordRules } from './password-rules.ts';
import type { SignInTries } from './sign-in-tries.ts';

/** How long a link may be used. */
const LINK_LIFE = 24 * HOUR;

/** A link's secret: shown once, to go behind `/welcome#`. */
export interface OfferedLink {
  readonly secret: string;
  readonly expiresAt: Instant;
}

/** Who a link is for. */
export type LinkPurpose = { readonly kind: 'first' } | { readonly kind: 'user'; readonly name: string };

/** Makes the link by which the first administrator sets up the service; there is no default password. */
export class OfferSetup extends UseCase<'users' | 'randomness' | 'digest' | 'clock'> {
  /** Null if there is an administrator already. */
  async execute(): Promise<OfferedLink | null> {
    const { users, randomness, digest, clock } = this.deps;
    if (await users.hasAdministrator()) return null;
    const { secret, hash } = makeSecret(randomness, digest);
    const now = clock.now();
    const expiresAt = now + LINK_LIFE;
    const audit = [auditEntry(Actor.system('start'), now, 'user.offer_setup', 'user:first')];
    await users.addLink(hash, { userId: null, expiresAt }, { audit });
    return { secret, expiresAt };
  }
}

/** Makes the link by which a user sets a new password: an invitation, or a way back in. Earlier links are void. */
export class OfferPasswordLink extends UseCase<'users' | 'randomness' | 'digest' | 'clock'> {
  /** Throws `role_missing`. */
  async execute(actor: Actor, user: User): Promise<OfferedLink> {
    actor.requireRole('administrator');
    const { users, randomness, digest, clock } = this.deps;
    const { secret, hash } = makeSecret(randomness, digest);
    const now = clock.now();
    const expiresAt = now + LINK_LIFE;
    const audit = [
      auditEntry(actor, now, 'user.offer_password_link', `user:${user.id}`, { name: user.name }),
    ];
    await users.addLink(hash, { userId: user.id, expiresAt }, { audit });
    return { secret, expiresAt };
  }
}

/** Accepts a link: the password is set by the user alone. */
export class TakeUpLink extends UseCase<
  'users' | 'sessions' | 'hasher' | 'digest' | 'clock' | 'deviceStore.removeAll',
  { readonly tries: Pick<SignInTries, 'countLink'>; readonly passwordRules: PasswordRules }
> {
  /** Throws `link_invalid`, or `sign_in_throttled` after several that were. */
  async look(secret: string, address: string): Promise<LinkPurpose> {
    const purpose = await this.#purposeOf(secret);
    if (purpose !== null) return purpose;
    await this.deps.tries.countLink(address);
    throw linkInvalid();
  }

  async #purposeOf(secret: string): Promise<LinkPurpose | null> {
    const link = looksLikeSecret(secret)
      ? await this.deps.users.findLink(this.deps.digest.sha256(secret))
      : null;
    if (link === null || link.expiresAt <= this.deps.clock.now()) return null;
    if (link.userId === null) return (await this.deps.users.hasAdministrator()) ? null : { kind: 'first' };
    const user = await this.deps.users.find(link.userId);
    return user === null || user.disabledAt !== null ? null : { kind: 'user', name: user.name };
  }

  /**
   * Throws `link_invalid`, `sign_in_throttled`, and `invalid_input` for a bad name or password. All sessions of the
   * user end.
   */
  async execute(
    secret: string,
    asked: { readonly name?: string; readonly password: string },
    address: string,
  ): Promise<User> {
    const purpose = await this.look(secret, address);
    const problems: InputProblem[] = [];
    const name = purpose.kind === 'first' ? userName(asked.name ?? '', problems) : purpose.name;
    await this.deps.passwordRules.check(asked.password, name, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    const at = this.deps.clock.now();
    const proof = {
      linkHash: this.deps.digest.sha256(secret),
      passwordHash: await this.deps.hasher.hash(asked.password),
      at,
    };
    const by = Actor.system('link', { address });
    if (purpose.kind === 'first') {
      const first = { name, role: 'administrator', createdBy: 'set-up', createdAt: at } as const;
      return this.deps.users.addFirst(first, proof, (user) => ({
        audit: [auditEntry(by, at, 'user.set_up', `user:${user.id}`, { name })],
      }));
    }
    const user = await this.deps.users.useLink(proof, (changed) => ({
      audit: [auditEntry(by, at, 'user.set_password', `user:${changed.id}`, { name: changed.name })],
    }));
    await this.deps.sessions.removeAll(user.id, null);
    await this.deps.deviceStore.removeAll(user.id, null);
    return user;
  }
}

const linkInvalid = (): DomainError =>
  new DomainError(
    'link_invalid',
    'This link was already used or has expired. Ask an administrator for a new one, or create it with "drover user link NAME".',
  );
