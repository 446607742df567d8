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
}

/** The backups of the whole fleet at a glance. */
export interface FleetBackups {
  /**
   * Servers whose feature `backup` is on: first those that never had one, then those whose backup is oldest. `ids`: only
   * these; `null`: all.
   */
  list(ids: readonly number[] | null, page: PageRequest): Promise<Page<ServerBackup>>;
}
