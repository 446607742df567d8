import type { Actor } from '../../domain/access/actor.ts';
import { type ApiToken, actorOf, allowsAddress, isUsable } from '../../domain/access/api-token.ts';
import { isTokenSecret } from '../../domain/access/token-secret.ts';
import { isActive } from '../../domain/access/user.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import type { UserStore } from '../ports/access/user-store.ts';
import type { CallCounter } from './call-counter.ts';
import type { TokenCache } from './token-cache.ts';

interface Credentials {
  readonly secret: string;
  readonly address: string;
}

/** Turns a secret into its actor. */
export class Authenticate extends UseCase<
  'tokens' | 'digest' | 'clock' | 'log' | 'tokensDisabled' | 'users.find',
  { readonly cache: TokenCache; readonly callCounter: CallCounter }
> {
  /** When each token's last use was last written, so that it is written at most once a minute. */
  readonly #touched = new Map<number, Instant>();
  /** Of cached tokens; dropped with them. */
  readonly #actors = new WeakMap<ApiToken, Actor>();

  /**
   * Throws `tokens_disabled` on a demo instance, `unauthorized` for a secret that is malformed, unknown, expired or
   * revoked (without distinction), `address_not_allowed` for a caller outside the token's address ranges.
   */
  async execute(presented: Credentials): Promise<Actor> {
    const token = await this.check(presented);
    const now = this.deps.clock.now();
    this.deps.callCounter.count(token.id, now);
    this.#touch(token.id, now);
    return this.#actorOf(token, presented.address);
  }

  /** As `execute`, and throws the same, but does not count as a use. */
  async check(presented: Credentials): Promise<ApiToken> {
    if (this.deps.tokensDisabled) {
      throw new DomainError('tokens_disabled', 'API tokens are switched off on this demo instance.');
    }
    // A wrong checksum is a typing error or a guess: refused without asking the database.
    const hash = isTokenSecret(presented.secret) ? this.deps.digest.sha256(presented.secret) : null;
    const now = this.deps.clock.now();
    const token = hash === null ? null : (this.deps.cache.get(hash, now) ?? (await this.#find(hash, now)));
    if (token === null || !isUsable(token, now)) throw unauthorized();
    if (!allowsAddress(token, presented.address)) {
      throw new DomainError(
        'address_not_allowed',
        `This token may not be used from ${presented.address}; ask an operator to add the address to the token.`,
      );
    }
    return token;
  }

  async #find(hash: string, now: Instant): Promise<ApiToken | null> {
    const { forgotten } = this.deps.cache;
    const found = await this.deps.tokens.findBySecretHash(hash);
    if (!found || !this.deps.digest.equal(found.secretHash, hash)) return null;
    const token = await withCurrentGrant(found.token, this.deps.users);
    // Data that was read before a change may grant what the change revoked.
    if (this.deps.cache.forgotten === forgotten) this.deps.cache.put(hash, token, now);
    return token;
  }

  /** The same token's holder from the same address is the same. */
  #actorOf(token: ApiToken, address: string): Actor {
    const known = this.#actors.get(token);
    if (known?.address === address) return known;
    const actor = actorOf(token, address);
    this.#actors.set(token, actor);
    return actor;
  }

  /**
   * Off the request's path, with the calls since the last write. A failed write costs a minute's accuracy and is
   * logged, nothing else.
   */
  #touch(id: number, now: Instant): void {
    if (now - (this.#touched.get(id) ?? 0) < MINUTE) return;
    if (this.#touched.size >= 10_000) this.#touched.clear();
    this.#touched.set(id, now);
    const calls = this.deps.callCounter.take(id);
    this.deps.tokens.touch(id, now, calls).catch((error: unknown) => {
      this.deps.callCounter.add(id, now, calls);
      this.deps.log.warn('could not record the last use of a token', { tokenId: id, error: String(error) });
    });
  }
}

export const unauthorized = (): DomainError =>
  new DomainError('unauthorized', 'A valid API token is needed: send it as "Authorization: Bearer <token>".');

/** The token with its current rights: grants by someone who is no longer an administrator do not count. */
export async function withCurrentGrant(token: ApiToken, users: Pick<UserStore, 'find'>): Promise<ApiToken> {
  const userId = token.serversGrantedBy?.userId ?? null;
  if (userId === null) return token;
  const user = await users.find(userId);
  return user && isActive(user) && user.role === 'administrator'
    ? token
    : { ...token, serversGrantedBy: null };
}
