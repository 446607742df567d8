import type { Knex } from 'knex';
import { addToTable, instant } from './columns.ts';

/** Since when a snapshot is pinned; the retention of an older replica does not know it. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'snapshots', 'pinned_at', (table) => void instant(table, 'pinned_at'));
