import type { ApiToken, NewApiToken, TokenTerms } from '../../domain/api-token.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { Trail } from './trail.ts';

/** Tokens, found by the SHA-256 of their secret; the secret itself is never stored. */
export interface TokenStore {
  add(token: NewApiToken, secretHash: string, trail: (token: ApiToken) => Trail): Promise<ApiToken>;
  /** Also the revoked and expired ones, with the hash as stored. */
  findBySecretHash(
    secretHash: string,
  ): Promise<{ readonly token: ApiToken; readonly secretHash: string } | null>;
  find(id: number): Promise<ApiToken | null>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<ApiToken>>;
  /** Replaces terms. Throws `token_not_found`. */
  change(id: number, terms: TokenTerms, trail: (token: ApiToken) => Trail): Promise<ApiToken>;
  /** Replaces the secret; the old one is void at once. Throws `token_not_found`, also for a revoked one. */
  rotate(
    id: number,
    secret: { hash: string; prefix: string },
    trail: (token: ApiToken) => Trail,
  ): Promise<ApiToken>;
  /** Throws `token_not_found`. Revoking again changes nothing. */
  revoke(id: number, at: Instant, trail: (token: ApiToken) => Trail): Promise<ApiToken>;
  /** Never moves it back. */
  touch(id: number, at: Instant): Promise<void>;
}
