import type { Knex } from 'knex';
import { HOUR } from '../../../../../domain/base/instant.ts';

/** An index over some ten million jobs takes a few minutes. */
const MAX_MS = HOUR;

/** Makes an index that a gauge is counted by, unless it is there. */
export async function makeGaugeIndex(knex: Knex, table: string, columns: readonly string[]): Promise<void> {
  const places = columns.map(() => '??').join(', ');
  await knex
    .raw(`CREATE INDEX ?? ON ?? (${places})`, [nameOf(table, columns), table, ...columns])
    .options({ timeout: MAX_MS })
    .catch((error: { errno?: number; message: string }) => {
      // ER_DUP_KEYNAME; SQLite says it in words. It died half-way before.
      if (error.errno !== 1061 && !error.message.includes('already exists')) throw error;
    });
}

/** By its first two columns: with all of them the names would be longer than MySQL takes. */
const nameOf = (table: string, columns: readonly string[]): string =>
  `${table}_${columns.slice(0, 2).join('_')}_gauge`;
