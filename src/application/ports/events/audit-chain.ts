import type { Instant } from '../../../domain/base/instant.ts';
import type { ChainedEntry, RawEntry, SealedHead } from '../../../domain/events/audit-chain.ts';

export interface SealResult {
  readonly entries: number;
  /** There was no chain: this is the first of it. */
  readonly began: boolean;
}

/** The chain of sealed audit entries; entries are sealed shortly after they are written. */
export interface AuditChain {
  /**
   * Seals the oldest unsealed entries, at most this many. One process at a time does it. Starts the chain if there is
   * none. Throws `audit_broken` if its head was changed.
   */
  seal(limit: number, at: Instant): Promise<SealResult>;
  /** Null if nothing is sealed yet. */
  head(): Promise<SealedHead | null>;
  /** Those after a number, in order. */
  sealed(after: number, limit: number): Promise<readonly ChainedEntry[]>;
  /** Unsealed entries after an id, in the order of their ids. */
  unsealed(afterId: number, limit: number): Promise<readonly RawEntry[]>;
  /**
   * Removes the oldest sealed entries that are older, at most this many, and moves the start of the chain. Returns
   * how many. Throws `audit_broken`.
   */
  prune(before: Instant, limit: number): Promise<number>;
  /** Keyed hashes as the chain has them. */
  mac(text: string): string;
}
