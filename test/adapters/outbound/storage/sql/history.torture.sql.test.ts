import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SqlHistoryStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-history-store.ts';
import { SqlHostChangeStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-host-change-store.ts';
import { SqlInventoryStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { SqlJobStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-job-store.ts';
import { ForgetHistory } from '../../../../../src/application/service/forget-history.ts';
import { DAY, type KeptDays } from '../../../../../src/domain/base/instant.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { changesOf } from '../../../../support/changes-of.ts';
import {
  empty,
  type MakeDatabase,
  mariaDbDatabase,
  sqliteDatabase,
  type TestDatabase,
} from '../../../../support/databases.ts';
import { rounds } from '../../../../support/rounds.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { addServer } from '../../../../support/stores-subject.ts';

const NOW = Date.UTC(2026, 10, 20, 5);
const LONG_AGO = NOW - 400 * DAY;
const MANY = rounds(20_000, 200_000);
const SERVERS = 10;
/** The limit for one statement, as `ForgetHistory` asks for it. */
const [MAX_JOBS, MAX_PIECES, MAX_MEMBERS] = [200, 50, 500];

function historyTests(name: string, makeDatabase: MakeDatabase): void {
  describe(`history: ${name}`, () => {
    let made: TestDatabase;
    let servers: number[];
    beforeAll(async () => {
      made = await makeDatabase();
    });
    afterAll(() => made.drop());
    beforeEach(async () => {
      await empty(made.database);
      const stores = sqlStores(made.database);
      servers = [];
      for (let n = 1; n <= SERVERS; n += 1) servers.push(await addServer(stores, `web-${n}`));
    });

    const knex = () => made.database.knex;
    const job = (id: number, over: object = {}) => ({
      id,
      server_id: servers[id % SERVERS],
      server_name: 'web',
      job_type: 'backup',
      lane: 'backup',
      status: 'success',
      params: '{}',
      created_at: LONG_AGO + id,
      finished_at: LONG_AGO + id,
      scheduled: 0,
      requested_by: 'test',
      log_tail: '["the last line"]',
      ...over,
    });
    const addJobs = async (rows: readonly object[]): Promise<void> => {
      for (let at = 0; at < rows.length; at += 500) await knex()('jobs').insert(rows.slice(at, at + 500));
    };
    const addLog = async (id: number, pieces: number): Promise<void> => {
      const content = Buffer.from('0123456789');
      await knex()('jobs')
        .where({ id })
        .update({ log_bytes: pieces * 10 });
      for (let at = 0; at < pieces; at += 1)
        await knex()('job_log_chunks').insert({ job_id: id, position: at * 10, at: LONG_AGO, content });
    };
    const batch = (id: number, created_at: number, finished_at: number | null) => ({
      id,
      job_type: 'backup',
      params: '{}',
      selector: '{}',
      max_parallel: 1,
      canary: 0,
      status: finished_at === null ? 'running' : 'success',
      requester_kind: 'user',
      requester_name: 'root',
      requested_by: 'root',
      scheduled: 0,
      require_approval: 0,
      outside_window: 0,
      created_at,
      finished_at,
    });
    const member = (batch_id: number, position: number, job_id: number) => ({
      batch_id,
      position,
      server_id: servers[position],
      server_name: 'web',
      status: 'success',
      job_id,
    });
    const forget = (kept: Partial<KeptDays> = {}): Promise<void> =>
      new ForgetHistory({
        history: new SqlHistoryStore(made.database),
        inventories: new SqlInventoryStore(made.database),
        hostChanges: new SqlHostChangeStore(made.database),
        clock: { now: () => NOW, sleep: () => Promise.resolve() },
        pruneAudit: { execute: () => Promise.reject(new Error('the audit log stays')) },
        kept: { jobs: 365, logs: 90, events: 14, notifications: 90, audit: 0, ...kept },
      }).execute(new AbortController().signal);
    const ids = async (): Promise<number[]> =>
      (await knex()('jobs').orderBy('id').select('id')).map(({ id }: { id: number }) => id);
    const pieces = async (): Promise<number> =>
      Number((await knex()('job_log_chunks').count({ n: '*' }).first())?.['n']);

    it('keeps what is young, what is not over, and the latest of each lane of a server', async () => {
      const young = NOW - 30 * DAY;
      await addJobs([
        job(10, { server_id: servers[0] }),
        job(20, { server_id: servers[0], lane: 'os_patch' }),
        job(30, { server_id: servers[0], status: 'failed' }),
        job(40, { server_id: servers[1] }),
        job(50, { server_id: servers[0], status: 'awaiting_approval', finished_at: null }),
        job(60, { server_id: servers[0], created_at: young, finished_at: young }),
        job(70, { server_id: servers[0], lane: 'os_patch', created_at: young, finished_at: young }),
      ]);
      await forget();
      expect(await ids()).toEqual([40, 50, 60, 70]);
      await forget();
      expect(await ids()).toEqual([40, 50, 60, 70]);
    });

    it('deletes logs sooner than jobs, and leaves their last lines', async () => {
      const at = NOW - 100 * DAY;
      await addJobs([job(10, { created_at: at, finished_at: at })]);
      await addLog(10, 2 * MAX_PIECES + 1);
      const store = new SqlJobStore(made.database);
      const { changes } = await changesOf(made.database, () => forget());
      expect(changes.filter(({ sql }) => /job_log_chunks/.test(sql))).toHaveLength(3);
      expect([await pieces(), await ids()]).toEqual([0, [10]]);
      expect(await store.readLog(10, 0)).toEqual({ next: 0, text: '', cutBytes: 0 });
      expect(await knex()('jobs').where({ id: 10 }).pluck('log_tail')).toEqual(['["the last line"]']);
    });

    it('keeps everything forever if configured so', async () => {
      await addJobs([job(10, { server_id: servers[0] }), job(20, { server_id: servers[0] })]);
      await addLog(10, 2);
      await forget({ jobs: 0, logs: 0 });
      expect([await ids(), await pieces()]).toEqual([[10, 20], 2]);
      await forget({ jobs: 0 });
      expect([await ids(), await pieces()]).toEqual([[10, 20], 0]);
      await forget({ logs: 0 });
      expect(await ids()).toEqual([20]);
    });

    it('deletes a batch before its jobs, and no job of a known batch', async () => {
      const limit = NOW - 365 * DAY;
      await knex()('batches').insert([
        batch(1, LONG_AGO, LONG_AGO + 5),
        batch(2, limit - 100, limit + 100),
        batch(3, NOW - DAY, null),
      ]);
      await addJobs([
        job(10, { server_id: servers[0] }),
        job(20, { server_id: servers[0], created_at: limit - 50, finished_at: limit - 50 }),
        job(30, { server_id: servers[0], created_at: NOW, finished_at: NOW }),
      ]);
      await knex()('batch_members').insert([member(1, 0, 10), member(2, 0, 20)]);
      await forget();
      expect(await knex()('batches').pluck('id')).toEqual([2, 3]);
      expect(await knex()('batch_members').pluck('batch_id')).toEqual([2]);
      expect(await ids()).toEqual([20, 30]);
    });

    it('takes a large batch in small steps', async () => {
      const members = 2 * MAX_MEMBERS + 10;
      const stores = sqlStores(made.database);
      const rows: object[] = [];
      for (let position = 0; position < members; position += 1) {
        const server = await addServer(stores, `member-${position}`);
        rows.push({ ...member(1, 0, 1), position, server_id: server });
      }
      await knex()('batches').insert(batch(1, LONG_AGO, LONG_AGO + 5));
      for (let at = 0; at < members; at += 100)
        await knex()('batch_members').insert(rows.slice(at, at + 100));
      const { changes } = await changesOf(made.database, () => forget());
      expect(changes.map(({ sql }) => sql.replaceAll(/["`]/g, '').split(' where')[0])).toEqual([
        'delete from batch_members',
        'delete from batch_members',
        'delete from batches',
      ]);
      expect(await knex()('batch_members').pluck('position')).toEqual([]);
    });

    it(`takes ${MANY} old jobs in small steps, none of which is a transaction of many`, async () => {
      await addJobs(Array.from({ length: MANY }, (_, n) => job(n + 1)));
      for (const id of [1, 2, MANY]) await addLog(id, 3);
      await knex()('servers').update({ last_backup_at: LONG_AGO });
      const before = await knex()('servers').orderBy('id').select('*');

      const { changes, begun } = await changesOf(made.database, () => forget());

      // The latest of each server.
      expect(await ids()).toEqual(Array.from({ length: SERVERS }, (_, n) => MANY - SERVERS + 1 + n));
      expect(await knex()('servers').orderBy('id').select('*')).toEqual(before);
      expect(await pieces()).toBe(0);
      expect(begun).toBe(0);
      const deletes = changes.filter(({ sql }) => /^delete from .jobs./.test(sql));
      expect(deletes).toHaveLength(MANY / MAX_JOBS);
      // The ids, and the three final statuses.
      expect(Math.max(...deletes.map(({ values }) => values))).toBe(MAX_JOBS + 3);
      expect(changes.length).toBe(deletes.length + 2 * 3);
    }, 600_000);
  });
}

historyTests('SQLite', sqliteDatabase);
describeWith('mariadb', 'history', () => historyTests('MariaDB', mariaDbDatabase));
