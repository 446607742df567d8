import type { Knex } from 'knex';
import { makeGaugeIndex } from './gauge-index.ts';

/** Servers that nobody gets onto are counted as the page counts them: by the last try, not by when they were seen. */
export const up = (knex: Knex): Promise<void> =>
  makeGaugeIndex(knex, 'servers', [
    'contact_failed_since',
    'removed_at',
    'reboot_pending',
    'security_updates_count',
    'feature_backup',
    'last_backup_at',
  ]);
