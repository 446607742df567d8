import type { Instant } from '../../../domain/base/instant.ts';
import type { ChainedEntry, RawEntry, SealedHead } from '../../../domain/events/audit-chain.ts';

export interface SealResult {
  readonly entries: number;
  /** There was no chain: this is the first of it. */
  readonly began: boolean;
}

/** The chain that entries of the audit log are sealed in, some time after they were written. */
export interface AuditChain {
  /**
   * Seals the oldest that are not sealed yet, at most so many. Of several processes one does it at a time. Begins the
   * chain where there is none. Throws `audit_broken` where its head is not as it was left.
   */
  seal(limit: number, at: Instant): Promise<SealResult>;
  /** Null before anything was sealed. */
  head(): Promise<SealedHead | null>;
  /** Those after a number, in order. */
  sealed(after: number, limit: number): Promise<readonly ChainedEntry[]>;
  /** Those that are not sealed yet, in the order of their ids, after one. */
  unsealed(afterId: number, limit: number): Promise<readonly RawEntry[]>;
  /**
   * Removes the oldest sealed entries, at most so many, as long as they are older, and moves the beginning of the chain.
   * Returns how many. Throws `audit_broken`.
   */
  prune(before: Instant, limit: number): Promise<number>;
  /** Keyed hashes as the chain has them. */
  mac(text: string): string;
}
