import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { newJobColumns } from '../../../../../src/adapters/outbound/storage/sql/tables/job-row.ts';
import type { JobFilter } from '../../../../../src/application/ports/jobs/job-store.ts';
import { mariaDbDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { claim, enqueue, type JobSubject, newJob } from '../../../../support/job-subject.ts';
import { rowsReadBy } from '../../../../support/rows-read.ts';
import { jobsOn } from '../../../../support/sql-job-subject.ts';
import { noRecord } from '../../../../support/stores-subject.ts';

const SERVERS = 100;
const HISTORY = 20_000;
/** Far more than any of these needs, and far less than reading the whole history. */
const FEW = 600;

let opened: TestDatabase;
let database: Database;
let jobs: JobSubject;
const serverIds: number[] = [];

beforeAll(async () => {
  opened = await mariaDbDatabase();
  // One connection, since the server counts the rows that it reads by connection.
  database = openDatabase({ url: opened.url, dataDir: opened.dataDir, poolSize: 1 });
  jobs = jobsOn(database);
  for (let n = 0; n < SERVERS; n += 1) serverIds.push(await jobs.addServer(`host-${n}`));
  const ended = Array.from({ length: HISTORY }, (_, n) => {
    const job = newJob(serverIds[n % SERVERS] ?? 0, n % 40 === 0 ? 'retention' : 'backup');
    return { ...newJobColumns(job, null), status: n % 50 === 0 ? 'failed' : 'success' };
  });
  while (ended.length > 0) await database.knex('jobs').insert(ended.splice(0, 500));
  for (const id of serverIds) {
    await enqueue(jobs, newJob(id, 'os_patch'));
    await enqueue(jobs, newJob(id, 'container_patch'));
  }
  await claim(jobs, SERVERS / 2);
  await database.knex.raw('ANALYZE TABLE jobs');
});
afterAll(async () => {
  await database.close();
  await opened.drop();
});

const rowsRead = (work: () => Promise<unknown>): Promise<number> => rowsReadBy(database, work);

it('changes a job while another transaction holds its server', async () => {
  const server = await jobs.addServer('held');
  const { id } = await enqueue(jobs, newJob(server));
  await opened.database.knex.transaction(async (other) => {
    await other('servers').where({ id: server }).increment('lane_version', 1);
    await database.knex.raw('SET SESSION innodb_lock_wait_timeout = 1');
    expect((await jobs.store.requestCancel(id, 0, noRecord)).status).toBe('cancelled');
  });
});

describe('with a long history, few rows are read', () => {
  const page = { limit: 50, offset: 0 };
  const filters: [string, JobFilter][] = [
    ['active jobs', { activeOnly: true }],
    ['running jobs', { status: 'running' }],
    ['jobs of a server', { serverId: 1 }],
    ['active jobs of a server', { serverId: 1, activeOnly: true }],
    ['failed jobs of a server', { serverId: 1, status: 'failed' }],
    ['active jobs of allowed servers', { serverIds: [1, 2, 3], activeOnly: true }],
  ];

  it.each(filters)('to list %s', async (_, filter) => {
    expect(await rowsRead(() => jobs.store.list(filter, page))).toBeLessThan(FEW);
  });

  it('to count active jobs', async () => {
    expect(await rowsRead(() => jobs.store.countActive({}))).toBeLessThan(FEW);
    expect(await rowsRead(() => jobs.store.countActive({ serverIds: [1, 2, 3] }))).toBeLessThan(FEW);
  });

  it('to count each state but success', async () => {
    // As many as are in these states, and none of the history.
    expect(await rowsRead(() => jobs.store.countByStatus({}))).toBeLessThan(HISTORY / 10);
  });

  it('to enqueue, and to refuse', async () => {
    const server = serverIds[0] ?? 0;
    expect(await rowsRead(() => enqueue(jobs, newJob(server, 'backup')))).toBeLessThan(FEW);
    const refused = () => expectRefusal(enqueue(jobs, newJob(server, 'host_reboot')), 'job_already_active');
    expect(await rowsRead(refused)).toBeLessThan(FEW);
  });

  // MariaDB chooses by samples, which are others each time.
  it.each([1, 2, 3, 4])('to claim past the jobs that have to wait, and to sweep (%i)', async () => {
    await database.knex.raw('ANALYZE TABLE jobs');
    expect(await rowsRead(() => claim(jobs, 2))).toBeLessThan(FEW);
    const sweep = () => jobs.queue.sweep({ deadOwners: ['x'], limit: 10, at: 0, record: noRecord });
    expect(await rowsRead(sweep)).toBeLessThan(FEW);
  });

  it('to list all, once they were counted', async () => {
    const list = async (): Promise<number> => (await jobs.store.list({}, page)).total;
    const total = await list();
    expect(total).toBeGreaterThan(HISTORY);
    expect(await rowsRead(list)).toBeLessThan(FEW);
    await enqueue(jobs, newJob(await jobs.addServer('later')));
    expect(await list()).toBe(total + 1);
  });
});
