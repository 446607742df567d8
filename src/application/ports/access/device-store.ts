import type { Instant } from '../../../domain/base/instant.ts';

/**
 * Browsers that signed in before, by the SHA-256 of the secret in their cookie. One browser may know several
 * accounts: its secret is shared by all of them.
 */
export interface DeviceStore {
  /** Its id; null if it never signed in as the user, or not since. */
  find(userId: number, secretHash: string, usedSince: Instant): Promise<number | null>;
  /**
   * Records that a browser signed in as the user, in one step: replaces its previous secret, if any, for all of its
   * accounts. The id stays. Keeps the `keep` browsers of the user with the latest sign-ins.
   */
  remember(
    userId: number,
    secret: { readonly hash: string; readonly formerHash: string | null },
    at: Instant,
    keep: number,
  ): Promise<number>;
  /** Deletes one browser of the user; an unknown one is no error. */
  remove(userId: number, id: number): Promise<void>;
  /** Deletes all of the user's, except this one. Returns how many. */
  removeAll(userId: number, except: number | null): Promise<number>;
  /** Deletes those that did not sign in since, up to a limit. Returns how many. */
  forgetUnusedSince(at: Instant, most: number): Promise<number>;
}
