import type { BackupFilter, BackupTotals } from '../../../domain/backups/backup-totals.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { BackupOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { JobDay } from '../../../domain/fleet/day-strip.ts';

export interface BackupDay extends JobDay {
  /** Total of each source's largest snapshot of that day. */
  readonly bytes: number;
}

/** How one server of the fleet is backed up. */
export interface ServerBackup {
  readonly serverId: number;
  readonly serverName: string;
  /** When the server was. */
  readonly addedAt: Instant;
  /** As `ServerFacts`: since when all of its sources are covered. */
  readonly lastBackupAt: Instant | null;
  readonly lastVerifiedAt: Instant | null;
  readonly sources: number;
  /** A backup job failed since `lastBackupAt`. */
  readonly failed: boolean;
  /** Total of the newest snapshot of each source. */
  readonly bytes: number;
  /** Days since `daysFrom` on which a backup job ended or a snapshot was taken, the oldest first. */
  readonly days: readonly BackupDay[];
  /** The repositories of its sources; `null`: Drover's own storage. */
  readonly destinations: readonly (string | null)[];
}

/** Which servers count as overdue or not verified: as `isBackupStale`, and those without a verification since then. */
export interface BackupBounds {
  readonly staleBefore: Instant;
  readonly verifiedBefore: Instant;
}

export interface BackupQuery extends PageRequest, BackupBounds {
  readonly only?: BackupFilter | undefined;
  /** Servers with this text in their name or in that of a source, in any case. */
  readonly q?: string | undefined;
  readonly daysFrom: Instant;
  /** Absent: by the last success, the oldest first. */
  readonly order?: BackupOrder | undefined;
}

/** The backups of the whole fleet at a glance. */
export interface FleetBackups {
  /**
   * Servers whose feature `backup` is on: unless another order is asked for, first those that never had one, then those
   * whose backup is oldest. `ids`: only these; `null`: all.
   */
  list(ids: readonly number[] | null, query: BackupQuery): Promise<Page<ServerBackup>>;
  totals(ids: readonly number[] | null, bounds: BackupBounds): Promise<BackupTotals>;
}
