import type { BackupFilter, BackupTotals } from '../../../domain/backups/backup-totals.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';

/** How one server of the fleet is backed up. */
export interface ServerBackup {
  readonly serverId: number;
  readonly serverName: string;
  /** As `ServerFacts`: since when all of its sources are covered. */
  readonly lastBackupAt: Instant | null;
  readonly lastVerifiedAt: Instant | null;
  readonly sources: number;
  /** Total of the newest snapshot of each source. */
  readonly bytes: number;
  /** Days, by their start in UTC, on which a snapshot was taken: those since `daysFrom`, the oldest first. */
  readonly days: readonly Instant[];
}

/** Which servers count as overdue or not verified: those without a backup, or a verification, since then. */
export interface BackupBounds {
  readonly staleBefore: Instant;
  readonly verifiedBefore: Instant;
}

export interface BackupQuery extends PageRequest, BackupBounds {
  readonly only?: BackupFilter | undefined;
  readonly daysFrom: Instant;
}

/** The backups of the whole fleet at a glance. */
export interface FleetBackups {
  /**
   * Servers whose feature `backup` is on: first those that never had one, then those whose backup is oldest. `ids`: only
   * these; `null`: all.
   */
  list(ids: readonly number[] | null, query: BackupQuery): Promise<Page<ServerBackup>>;
  totals(ids: readonly number[] | null, bounds: BackupBounds): Promise<BackupTotals>;
}
