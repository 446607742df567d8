import { describe, expect, it, onTestFinished } from 'vitest';
import type { DatabaseHealth } from '../../src/application/ports/service/database-health.ts';
import { expectRefusal } from '../support/expect-refusal.ts';

export interface DatabaseHealthSubject {
  readonly health: DatabaseHealth;
  /** The database's clock as the test knows it; the real time if it has no separate one. */
  readonly now: () => number;
  /** Makes the database unable to answer. */
  readonly breakDatabase: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Clocks of one machine, read one after another. */
const SLACK_MS = 60_000;

/** What every `DatabaseHealth` does. */
export function databaseHealthContract(
  name: string,
  makeSubject: () => Promise<DatabaseHealthSubject>,
): void {
  describe(`DatabaseHealth: ${name}`, () => {
    async function subject(): Promise<DatabaseHealthSubject> {
      const made = await makeSubject();
      onTestFinished(() => made.close());
      return made;
    }

    it('answers while the database does', async () => {
      const { health } = await subject();
      await health.ping();
    });

    it('says what the database is', async () => {
      const { health } = await subject();
      expect(await health.product()).toMatch(/^(SQLite|MySQL|MariaDB) \d+\.\d+\.\d+$/);
    });

    it('refuses once the database does not', async () => {
      const { health, breakDatabase } = await subject();
      await breakDatabase();
      await expectRefusal(health.ping(), 'database_unavailable');
    });

    it('reports how far the clock of the database is ahead', async () => {
      const { health, now } = await subject();
      expect(Math.abs(await health.clockOffsetMs(now()))).toBeLessThan(SLACK_MS);
      expect(await health.clockOffsetMs(now() - 600_000)).toBeGreaterThan(600_000 - SLACK_MS);
      expect(await health.clockOffsetMs(now() + 600_000)).toBeLessThan(SLACK_MS - 600_000);
    });
  });
}
