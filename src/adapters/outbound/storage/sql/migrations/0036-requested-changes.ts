import type { Knex } from 'knex';
import { addToTable, longText } from './columns.ts';

/** Changes that wait for approval, other than jobs and batches. Contents are encrypted, and deleted with the decision. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'approvals', 'change_kind', (table) => {
    table.string('change_kind', 32);
    table.text('change_summary');
    table.string('change_basis', 64);
    longText(table, 'change_sealed');
    table.string('change_outcome', 16);
    table.text('change_detail');
    table.index(['change_outcome', 'decided_at']);
  });
