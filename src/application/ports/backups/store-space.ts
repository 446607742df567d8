import type { Space } from '../../../domain/backups/backup-totals.ts';

export interface StoreSpace {
  /** The file system of the backup directory; `null` if it is unknown. */
  now(): Promise<Space | null>;
}
