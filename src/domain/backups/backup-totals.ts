/** Of a file system, in bytes. */
export interface Space {
  readonly total: number;
  /** Available to the service. */
  readonly free: number;
}

/** What the list of all backups can be limited to. */
export const BACKUP_FILTERS = ['overdue', 'failed', 'unverified'] as const;
export type BackupFilter = (typeof BACKUP_FILTERS)[number];

/**
 * How many servers are backed up, and how many of these lack a recent backup or verification, or had a backup job fail
 * since their last backup.
 */
export interface BackupTotals extends Readonly<Record<BackupFilter, number>> {
  readonly servers: number;
  /** As `isNotBackedUpYet`. */
  readonly notYet: number;
  /** Of the newest snapshots of all sources. */
  readonly bytes: number;
}
