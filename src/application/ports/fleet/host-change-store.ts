import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { ChangeKind, HostChange, HostDifference, HostState } from '../../../domain/fleet/host-state.ts';

export interface HostChangeFilter {
  /** `null`: all. */
  readonly serverIds: readonly number[] | null;
  /** Found at that time or later, and before that time. */
  readonly since?: Instant;
  readonly before?: Instant;
  readonly kind?: ChangeKind;
  /** Part of the name, whatever the case. */
  readonly q?: string;
}

/** How files differ between a snapshot and the one before it. */
export interface FileFindings {
  readonly serverId: number;
  readonly snapshotId: number;
  readonly differences: readonly HostDifference[];
  /** The starts of both. */
  readonly since: Instant;
  readonly at: Instant;
}

/** The latest state of each host, and how it changed. */
export interface HostChangeStore {
  /**
   * Compares with the latest state, and stores it and its differences in one transaction; the first state has none. An
   * older reading than the latest is ignored. Returns how many differences there are. A removed server gets nothing.
   */
  record(serverId: number, state: HostState, at: Instant): Promise<number>;
  /** Stores what a snapshot found, only once for each snapshot. A removed server gets nothing. */
  recordFiles(found: FileFindings): Promise<void>;
  /** Newest first; of the same reading by kind and name. */
  list(filter: HostChangeFilter, page: PageRequest): Promise<Page<HostChange>>;
  /** Deletes at most `limit` changes that were found before. Returns whether there may be more. */
  forget(before: Instant, limit: number): Promise<boolean>;
}
