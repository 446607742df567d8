import type { ApiToken, NewApiToken, TokenGrant, TokenTerms } from '../../../domain/access/api-token.ts';
import type { TokenCalls } from '../../../domain/access/token-calls.ts';
import type { Schedule } from '../../../domain/automation/schedule.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { TokenOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { OwnerChange } from '../automation/schedule-store.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** The effect of a token's change on its schedules. */
export interface OwnedByToken {
  readonly at: Instant;
  readonly change: (token: ApiToken) => OwnerChange;
}

/** Tokens, found by the SHA-256 of their secret; the secret itself is never stored. */
export interface TokenStore {
  add(token: NewApiToken, secretHash: string, record: (token: ApiToken) => ChangeRecord): Promise<ApiToken>;
  /** Also the revoked and expired ones, with the hash as stored. */
  findBySecretHash(
    secretHash: string,
  ): Promise<{ readonly token: ApiToken; readonly secretHash: string } | null>;
  find(id: number): Promise<ApiToken | null>;
  /** Newest first unless another order is given. */
  list(page: PageRequest, order?: TokenOrder): Promise<Page<ApiToken>>;
  /** Replaces terms, and whose word its servers are. Throws `token_not_found`. `owned`: as for `revoke`. */
  change(
    id: number,
    terms: TokenTerms & TokenGrant,
    record: (token: ApiToken, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByToken,
  ): Promise<ApiToken>;
  /** Replaces the secret, and keeps by whom; the old one is void immediately. Throws `token_not_found`, also for a revoked one. */
  rotate(
    id: number,
    secret: { hash: string; prefix: string; by: string },
    record: (token: ApiToken) => ChangeRecord,
  ): Promise<ApiToken>;
  /**
   * Throws `token_not_found`. Revoking again changes nothing. `owned`: its schedules change in the same transaction,
   * and the audit record includes the disabled ones; their unstarted runs never start.
   */
  revoke(
    id: number,
    at: Instant,
    record: (token: ApiToken, switchedOff: readonly Schedule[]) => ChangeRecord,
    owned?: OwnedByToken,
  ): Promise<ApiToken>;
  /** Records a use, never moving the last one back, and adds calls. */
  touch(id: number, at: Instant, calls: TokenCalls): Promise<void>;
}
