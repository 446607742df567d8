import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobFilter } from '../../../../../src/application/ports/jobs/job-store.ts';
import { JobAlreadyActive } from '../../../../../src/domain/jobs/job.ts';
import { sqliteDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { claim, enqueue, finish, type JobSubject, newJob } from '../../../../support/job-subject.ts';
import { jobsOn } from '../../../../support/sql-job-subject.ts';

let opened: TestDatabase;
let jobs: JobSubject;
beforeAll(async () => {
  opened = await sqliteDatabase();
  jobs = jobsOn(opened.database);
  for (let n = 0; n < 40; n += 1) await enqueue(jobs, newJob(await jobs.addServer(`host-${n}`)));
  for (const claimed of await claim(jobs, 20)) await finish(jobs, claimed);
  await claim(jobs, 5);
  await opened.database.knex.raw('ANALYZE');
});
afterAll(() => opened.drop());

interface Query {
  readonly sql: string;
  readonly bindings: readonly (string | number)[];
}

/** The queries that some work does. */
async function queriesOf(work: () => Promise<unknown>): Promise<Query[]> {
  const { knex } = opened.database;
  const queries: Query[] = [];
  const listen = (query: Query): void => {
    if (/^(select|insert|update|delete)/.test(query.sql)) queries.push(query);
  };
  knex.on('query', listen);
  await work();
  knex.removeListener('query', listen);
  return queries;
}

/** How SQLite goes about the queries of some work: https://sqlite.org/eqp.html. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  for (const { sql, bindings } of await queriesOf(work)) {
    const steps: { detail: string }[] = await opened.database.knex.raw(`EXPLAIN QUERY PLAN ${sql}`, [
      ...bindings,
    ]);
    plans.push(steps.map((step) => step.detail).join('; '));
  }
  return plans;
}

describe('what a list costs', () => {
  const filters: [string, JobFilter][] = [
    ['all', {}],
    ['of a server', { serverId: 3 }],
    ['of a status', { status: 'pending' }],
    ['of a type', { jobType: 'backup' }],
    ['of a server and a status', { serverId: 3, status: 'success' }],
    ['that are active', { activeOnly: true }],
    ['of allowed servers', { serverIds: [3, 4, 5] }],
  ];

  it.each(filters)('is two queries for jobs %s, however many there are', async (_, filter) => {
    const list = (limit: number) => queriesOf(() => jobs.store.list(filter, { limit, offset: 0 }));
    expect(await list(1)).toHaveLength(2);
    expect(await list(100)).toHaveLength(2);
  });

  it.each(filters.slice(1))('is no look at every row for jobs %s', async (_, filter) => {
    const [counting, listing] = await plansOf(() => jobs.store.list(filter, { limit: 50, offset: 0 }));
    expect(counting).toMatch(/^SEARCH jobs USING (COVERING )?INDEX/);
    expect(listing).toMatch(/^SEARCH jobs USING INDEX/);
  });

  it.each(filters.filter(([, { serverIds, activeOnly }]) => !serverIds && !activeOnly))(
    'is no sorting for jobs %s',
    async (_, filter) => {
      const [, listing] = await plansOf(() => jobs.store.list(filter, { limit: 50, offset: 0 }));
      expect(listing).not.toContain('TEMP B-TREE');
    },
  );
});

it('finds candidates, holders and lost jobs by their indexes', async () => {
  const plans = await plansOf(async () => {
    await claim(jobs, 1);
    await jobs.queue.sweep({ deadOwners: ['nobody'], limit: 10, at: 0, record: () => ({}) });
    await expectRefusal(enqueue(jobs, newJob(38)), 'job_already_active');
  });
  const reads = plans.filter((plan) => plan.includes(' jobs'));
  expect(reads.length).toBeGreaterThanOrEqual(4);
  expect(reads.filter((plan) => /SCAN|TEMP B-TREE/.test(plan))).toEqual([]);
});

it('asks one question if nothing waits', async () => {
  const empty = await sqliteDatabase();
  try {
    let questions = 0;
    empty.database.knex.on('query', () => {
      questions += 1;
    });
    await claim(jobsOn(empty.database), 10);
    expect(questions).toBe(1);
  } finally {
    await empty.drop();
  }
});

describe('the database itself', () => {
  it('refuses an active job without a lane, and a lane without an active job', async () => {
    const { knex } = opened.database;
    const pending = await knex('jobs').where({ status: 'pending' }).first<{ id: number; lane_key: string }>();
    await expect(knex('jobs').where({ id: pending.id }).update({ lane_key: null })).rejects.toThrow(
      'jobs_lane_held',
    );
    await expect(knex('jobs').where({ id: pending.id }).update({ status: 'failed' })).rejects.toThrow(
      'jobs_lane_held',
    );
  });

  it('refuses a running job without an owner, and an owner of any other', async () => {
    const { knex } = opened.database;
    const runningJob = knex('jobs').where({ status: 'running' }).limit(1);
    await expect(runningJob.clone().update({ owner: null })).rejects.toThrow('jobs_owner_runs');
    const ended = knex('jobs').where({ status: 'success' });
    await expect(ended.update({ owner: 'somebody' })).rejects.toThrow('jobs_owner_runs');
  });

  it('refuses a second job in a lane, whatever went round the lock, and the refusal names the first', async () => {
    const { knex } = opened.database;
    const server = await jobs.addServer('round-the-lock');
    const holder = await enqueue(jobs, newJob(await jobs.addServer('elsewhere')));
    await knex('jobs')
      .where({ id: holder.id })
      .update({ lane_key: `${server}:backup` });
    const error = await expectRefusal(enqueue(jobs, newJob(server)), 'job_already_active');
    if (!(error instanceof JobAlreadyActive)) throw error;
    expect(error.job.id).toBe(holder.id);
  });
});

it('measures leases by the time of the database', async () => {
  const { queue } = jobs;
  const [held] = await queue.claim({ owner: 'brief', leaseMs: 60, limit: 1, at: 0, record: () => ({}) });
  const sweep = () => queue.sweep({ deadOwners: [], limit: 100, at: 0, record: () => ({}) });
  // Waits for as long as it takes, since no clock but the database's decides.
  let ended = await sweep();
  while (ended.length === 0) ended = await sweep();
  expect(ended.map((job) => job.id)).toEqual([held?.job.id]);
});
