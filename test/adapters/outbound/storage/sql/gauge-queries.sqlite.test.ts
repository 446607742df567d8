import { expect, it, onTestFinished } from 'vitest';
import { SqlGaugeSource } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-gauge-source.ts';
import { fleetLimits } from '../../../../../src/domain/fleet/fleet-conditions.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { AT } from '../../../../support/stores-subject.ts';

interface Query {
  readonly sql: string;
  readonly bindings: readonly (string | number)[];
}

it('a scrape looks at no row without need: every count is led by an index', async () => {
  const { database, drop } = await sqliteDatabase();
  onTestFinished(drop);
  const queries: Query[] = [];
  database.knex.on('query', (query: Query) => queries.push(query));
  const moments = { ...fleetLimits(AT, 36), now: AT, failedSince: AT, expiringUntil: AT };
  await new SqlGaugeSource(database).read(moments);
  const asked = [...queries];
  expect(asked.length).toBeLessThan(13);
  for (const { sql, bindings } of asked) {
    // Tokens are few.
    if (sql.includes('api_tokens')) continue;
    const steps: { detail: string }[] = await database.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, [...bindings]);
    const details = steps.map((step) => step.detail);
    // SQLite counts all rows of a table without reading each.
    const scans = details.filter((detail) => detail.startsWith('SCAN') && detail !== 'SCAN CONSTANT ROW');
    expect(scans.filter((scan) => !scan.startsWith('SCAN servers USING COVERING INDEX'))).toEqual([]);
    expect(scans.length).toBeLessThanOrEqual(1);
    expect(details.filter((detail) => detail.includes('MULTI-INDEX OR'))).toEqual([]);
    if (sql.includes('`servers`') || sql.includes('FROM servers')) {
      expect(details.filter((detail) => /SEARCH servers USING INDEX/.test(detail))).toEqual([]);
    }
  }
});
