import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import {
  bringBackTimes,
  FUTURE_TIMES,
} from '../../../../../src/adapters/outbound/storage/sql/stores/future-times.ts';
import { DAY, MINUTE } from '../../../../../src/domain/base/instant.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { movedExpiriesTests } from './moved-expiries.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly dflt_value: string | null;
}

/** A row of any table: with required values, and the given ones. */
async function addRow({ knex }: Database, table: string, given: object): Promise<void> {
  const columns: Column[] = await knex.raw(`PRAGMA table_info(${table})`);
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const row = needed
    .filter(({ name, type, pk }) => !(name === 'id' && pk === 1 && /^integer$/i.test(type)))
    .map(({ name, type }) => [name, /int|float/i.test(type) ? 1 : `text of ${table}`] as const);
  await knex(table).insert({ ...Object.fromEntries(row), ...given });
}

/** A row's values that make it one of those to find. */
const OTHERS: Readonly<Record<string, object>> = {
  jobs: { status: 'running', owner: 'w', lane_key: '1:x' },
};

test.each(FUTURE_TIMES.map((each) => [`${each.table}.${each.column}`, each] as const))(
  'a time of %s is brought back only where it lies too far ahead',
  async (_, { table, column, aheadMs, becomes, rows, unitMs = 1 }) => {
    const { database, drop } = await sqliteDatabase();
    onTestFinished(drop);
    const now = Date.now();
    await database.knex.raw('PRAGMA foreign_keys = OFF');
    const written = { ...rows, ...OTHERS[table] };
    await addRow(database, table, { ...written, [column]: (now + aheadMs - MINUTE) / unitMs });
    expect(await bringBackTimes(database, now)).toBe(0);
    await database.knex(table).update({ [column]: (now + 395 * DAY) / unitMs });
    expect(await bringBackTimes(database, now)).toBe(1);
    const left = await database.knex(table).select(column);
    if (becomes === 'delete') expect(left).toEqual([]);
    else if (becomes === 'null') expect(left).toEqual([{ [column]: null }]);
    else expect(Math.abs(left[0]?.[column] * unitMs - now)).toBeLessThan(aheadMs);
    expect(await bringBackTimes(database, now)).toBe(0);
  },
);

movedExpiriesTests(sqliteDatabase);
