import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { databaseUnavailable } from '../../../../../src/adapters/outbound/storage/sql/sql-errors.ts';
import type { Claim } from '../../../../../src/application/ports/jobs/job-queue.ts';
import { sqliteDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import {
  claim,
  enqueue,
  finish,
  type JobSubject,
  newJob,
  running,
  stored,
  wholeLog,
} from '../../../../support/job-subject.ts';
import { jobsOn } from '../../../../support/sql-job-subject.ts';
import { AT } from '../../../../support/stores-subject.ts';

/** A database whose connection breaks around COMMIT: the caller cannot know whether the change is stored. */
class BreakingDatabase extends Database {
  breaks: 'before' | 'after' | 'never' = 'never';

  override async transaction<T>(body: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const when = this.breaks;
    return super
      .transaction(async (trx) => {
        const done = await body(trx);
        if (when === 'before') throw databaseUnavailable('the connection broke.');
        return done;
      })
      .then((done) => {
        if (when === 'after') throw databaseUnavailable('the connection broke.');
        return done;
      });
  }
}

let opened: TestDatabase;
let database: BreakingDatabase;
let jobs: JobSubject;
let servers = 0;
beforeAll(async () => {
  opened = await sqliteDatabase();
  database = new BreakingDatabase('sqlite', opened.database.file, opened.database.knex);
  jobs = jobsOn(database);
});
afterAll(() => opened.drop());

async function whileBreaking(when: 'before' | 'after', work: () => Promise<unknown>): Promise<void> {
  database.breaks = when;
  await expectRefusal(work(), 'database_unavailable');
  database.breaks = 'never';
}

const held = async (): Promise<Claim> => running(jobs, newJob(await jobs.addServer(`host-${++servers}`)));
const append = (mine: Claim, text: string): Promise<void> => jobs.queue.appendLog(mine, text, AT);

it('writes lines once that come again with the end of the job, whether they were in or not', async () => {
  for (const when of ['before', 'after'] as const) {
    const mine = await held();
    await whileBreaking(when, () => append(mine, 'one\n'));
    const ended = await finish(jobs, mine, { log: 'one\ntwo\n' });
    expect(ended.logTail).toEqual(['one', 'two']);
    expect((await wholeLog(jobs, mine.job.id)).text).toBe('one\ntwo\n');
  }
});

it('writes lines once that are sent again with more behind them, whether they were in or not', async () => {
  for (const when of ['before', 'after'] as const) {
    const mine = await held();
    await append(mine, 'one\n');
    await whileBreaking(when, () => append(mine, 'two\n'));
    await append(mine, 'two\nthree\n');
    await append(mine, 'four\n');
    expect((await wholeLog(jobs, mine.job.id)).text).toBe('one\ntwo\nthree\nfour\n');
    expect((await stored(jobs, mine.job.id)).logTail).toEqual(['one', 'two', 'three', 'four']);
  }
});

it('writes them once after several failures in a row', async () => {
  const mine = await held();
  await whileBreaking('after', () => append(mine, 'one\n'));
  await whileBreaking('before', () => append(mine, 'one\ntwo\n'));
  await whileBreaking('after', () => append(mine, 'one\ntwo\nthree\n'));
  await append(mine, 'one\ntwo\nthree\n');
  expect((await wholeLog(jobs, mine.job.id)).text).toBe('one\ntwo\nthree\n');
});

it('writes a line as often as it was logged, if nothing failed', async () => {
  const mine = await held();
  await append(mine, 'same\n');
  await append(mine, 'same\n');
  await whileBreaking('before', () => append(mine, 'same\n'));
  await append(mine, 'same\nsame\n');
  expect((await wholeLog(jobs, mine.job.id)).text).toBe('same\n'.repeat(4));
});

it('hands out a claim at the next call whose first answer was lost', async () => {
  for (const when of ['before', 'after'] as const) {
    const { id } = await enqueue(jobs, newJob(await jobs.addServer(`host-${++servers}`)));
    await whileBreaking(when, () => claim(jobs));
    const claims = await claim(jobs);
    expect(claims.map(({ job, fence }) => [job.id, job.status, fence])).toEqual([[id, 'running', 1]]);
    await finish(jobs, claims[0] as Claim);
    expect(await claim(jobs)).toEqual([]);
  }
});

it('reports a stored end as a lost lease when it is requested again', async () => {
  const mine = await held();
  await whileBreaking('after', () => finish(jobs, mine));
  await expectRefusal(finish(jobs, mine), 'lease_lost');
  expect((await stored(jobs, mine.job.id)).status).toBe('success');
});
