import type { Instant } from '../../../domain/base/instant.ts';
import type { ChainedEntry, RawEntry, SealedHead } from '../../../domain/events/audit-chain.ts';

export interface SealResult {
  readonly entries: number;
  /** There was no chain: this is the first of it. */
  readonly began: boolean;
}

/** The chain of audit entries; it gets each entry shortly after it is written. */
export interface AuditChain {
  /**
   * Chains the oldest unchained entries, at most this many. One process at a time does it. Starts the chain if there is
   * none. Throws `audit_broken` if its head was changed.
   */
  seal(limit: number, at: Instant): Promise<SealResult>;
  /** Null if nothing is in the chain yet. */
  head(): Promise<SealedHead | null>;
  /** Those after a number, in order. */
  sealed(after: number, limit: number): Promise<readonly ChainedEntry[]>;
  /** Unchained entries after an id, in the order of their ids. */
  unsealed(afterId: number, limit: number): Promise<readonly RawEntry[]>;
  /**
   * Removes the oldest chained entries that are older, at most this many, and moves the start of the chain. Returns
   * how many. Throws `audit_broken`.
   */
  prune(before: Instant, limit: number): Promise<number>;
  /** Keyed hashes as the chain has them. */
  mac(text: string): string;
}
