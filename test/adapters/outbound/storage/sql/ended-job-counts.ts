import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EndedJobCounts } from '../../../../../src/adapters/outbound/storage/sql/stores/ended-job-counts.ts';
import { HOUR } from '../../../../../src/domain/base/instant.ts';
import { JOB_STATUSES, type JobStatus, TERMINAL_STATUSES } from '../../../../../src/domain/jobs/job.ts';
import { empty, type MakeDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { rounds } from '../../../../support/rounds.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, addServer } from '../../../../support/stores-subject.ts';

const BLOCK = 10_000;
const OLD = AT - 2 * HOUR;

/** Remembered counts of ended jobs have to match a recount. */
export function endedJobCountsTests(name: string, makeDatabase: MakeDatabase): void {
  describe(`jobs that ended: ${name}`, () => {
    let made: TestDatabase;
    let server: number;
    let counts: EndedJobCounts;
    beforeAll(async () => {
      made = await makeDatabase();
    });
    afterAll(() => made.drop());
    beforeEach(async () => {
      await empty(made.database);
      server = await addServer(sqlStores(made.database), 'web');
      counts = new EndedJobCounts(made.database.knex);
    });

    const jobs = () => made.database.knex('jobs');
    const state = (id: number, status: JobStatus) => ({
      status,
      lane_key: status === 'pending' || status === 'running' ? `lane:${id}` : null,
      owner: status === 'running' ? 'me' : null,
    });
    const add = async (id: number, status: JobStatus, created_at = OLD): Promise<void> => {
      await jobs().insert({
        id,
        ...state(id, status),
        created_at,
        server_id: server,
        server_name: 'web',
        job_type: 'backup',
        lane: 'backup',
        params: '{}',
        scheduled: 0,
        requested_by: 'test',
        log_tail: '[]',
      });
    };
    const end = (id: number, status: JobStatus) => jobs().where({ id }).update(state(id, status));
    const counted = async (): Promise<Record<string, number>> => {
      const rows: { status: string; n: number }[] = await jobs()
        .whereIn('status', TERMINAL_STATUSES)
        .groupBy('status')
        .select('status')
        .count({ n: '*' });
      const none = { success: 0, failed: 0, cancelled: 0 };
      return { ...none, ...Object.fromEntries(rows.map((row) => [row.status, row.n])) };
    };
    /** The jobs that the next reading counts, and does not remember. */
    const read = async () => {
      const asked: (readonly unknown[])[] = [];
      const listen = (query: { sql: string; bindings: readonly unknown[] }): void => {
        if (query.sql.includes('COUNT(*)')) asked.push(query.bindings);
      };
      made.database.knex.on('query', listen);
      const told = await counts.read(AT);
      made.database.knex.removeListener('query', listen);
      expect(told).toEqual(await counted());
      return asked.map((bindings) => Number(bindings.at(-2)));
    };

    it('are zero if there are none', async () => {
      expect(await read()).toEqual([]);
    });

    it('are counted once where all of their block ended long ago', async () => {
      for (const id of [1, 2, BLOCK, 2 * BLOCK, 5 * BLOCK + 7]) await add(id, 'failed');
      expect(await read()).toEqual([0, BLOCK, 2 * BLOCK, 5 * BLOCK]);
      // The last block may still grow; of the others one is recounted, each time another.
      const again = [await read(), await read(), await read(), await read()];
      expect(again.map((blocks) => blocks.length)).toEqual([2, 2, 2, 2]);
      expect(new Set(again.flat())).toEqual(new Set([0, BLOCK, 2 * BLOCK, 5 * BLOCK]));
    });

    it('are counted each time where one beside them is not over, and once when it is', async () => {
      for (const id of [1, BLOCK + 1, 2 * BLOCK]) await add(id, 'success');
      await add(2, 'awaiting_approval');
      for (let n = 0; n < 3; n += 1) expect(await read()).toContain(0);
      await end(2, 'pending');
      expect(await read()).toContain(0);
      await end(2, 'cancelled');
      const later = [await read(), await read(), await read(), await read()];
      expect(later.filter((blocks) => blocks.includes(0)).length).toBeLessThan(4);
    });

    it('are counted each time while others may still come among them', async () => {
      await add(1, 'success');
      await add(BLOCK + 1, 'success', AT - 1);
      for (let n = 0; n < 3; n += 1) expect(await read()).toEqual([0, BLOCK]);
      // Its number was given before the other's, but its transaction ended later.
      await add(2, 'failed', AT - 2);
      expect(await read()).toEqual([0, BLOCK]);
    });

    it('show in time that old ones were deleted', async () => {
      for (const id of [1, 2, BLOCK, 2 * BLOCK]) await add(id, 'failed');
      await read();
      await jobs().whereIn('id', [1, BLOCK]).delete();
      for (let n = 0; n < 3; n += 1) await counts.read(AT);
      await read();
    });

    it('are right after whatever became of jobs in whatever order', async () => {
      const chance = seeded(7);
      const active: number[] = [];
      let id = 0;
      for (let step = 0; step < rounds(150, 3_000); step += 1) {
        id += 1 + Math.floor(chance() * 3_000);
        const status = JOB_STATUSES[Math.floor(chance() * JOB_STATUSES.length)] ?? 'pending';
        // Old enough at first, later not.
        await add(id, status, step < 100 ? OLD : AT);
        if (!(TERMINAL_STATUSES as readonly JobStatus[]).includes(status)) active.push(id);
        if (active.length > 3 && chance() < 0.7) {
          const [ended = 0] = active.splice(Math.floor(chance() * active.length), 1);
          await end(ended, TERMINAL_STATUSES[Math.floor(chance() * 3)] ?? 'failed');
        }
        if (step % 5 === 0) await read();
      }
      await read();
    });
  });
}

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, with the constants of Numerical Recipes. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
