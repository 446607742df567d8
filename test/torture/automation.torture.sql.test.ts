import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Actor } from '../../src/domain/access/actor.ts';
import { NO_MEMBERS } from '../../src/domain/automation/batch.ts';
import { MINUTE } from '../../src/domain/base/instant.ts';
import { describeWith } from '../support/capabilities.ts';
import {
  type MakeDatabase,
  mariaDbDatabase,
  sqliteDatabase,
  type TestDatabase,
} from '../support/databases.ts';
import { rounds } from '../support/rounds.ts';
import { type SqlAutomation, sqlAutomation } from '../support/sql-automation.ts';
import { AT, newServer, noRecord } from '../support/stores-subject.ts';
import { type FastTime, fastNow } from './fast-time.ts';
import { JobProcess } from './jobs-process.ts';

const PROGRAM = './automation-child.ts';
const PROCESSES = 3;
/** Long enough for a request to reach every process, in milliseconds. */
const HEADSTART_MS = 8;
const ONE = { limit: 1, offset: 0 };
const operator = Actor.operator('test');
const signal = new AbortController().signal;

interface Run {
  readonly id: number;
  readonly outcome: string;
  readonly job_id: number | null;
  readonly batch_id: number | null;
}

function automation(open: MakeDatabase): void {
  let opened: TestDatabase;
  let parts: SqlAutomation;
  beforeAll(async () => {
    opened = await open();
    parts = sqlAutomation(opened.database);
    parts.clock.setTo(AT);
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) {
      const features = { backup: false, os_patch: true, docker: false };
      await parts.stores.servers.add(newServer(name, { tags: ['all'], features }), AT, noRecord);
    }
  });
  afterAll(() => opened.drop());

  const add = (name: string, ids: number[], expression: string) =>
    parts.manageSchedules.add(operator, {
      name,
      selector: ids.length > 0 ? { ids } : { tags: ['all'] },
      cron: { expression, timeZone: 'UTC' },
      jobType: 'os_update_check',
      params: {},
      bounds: { maxParallel: 2 },
      jitterMs: 0,
      enabled: true,
    });

  /** Each process runs at the same moment, which is late enough for the clocks of all. */
  const lookTogether = async (processes: readonly JobProcess[], now: number): Promise<void> => {
    const at = Date.now() + HEADSTART_MS;
    await Promise.all(processes.map((each) => each.call('look', { at, now })));
  };

  const startProcess = async (): Promise<JobProcess> => {
    const process = await JobProcess.start(PROGRAM);
    await process.open({ url: opened.url, dataDir: opened.dataDir });
    return process;
  };

  it('starts each slot once, and each host of a batch once, with any number of processes', async () => {
    const single = await add('single', [1], '* * * * *');
    const processes = await Promise.all(Array.from({ length: PROCESSES }, startProcess));
    const slots = rounds(15, 600);
    for (let slot = 1; slot <= slots; slot += 1) {
      const now = AT + slot * MINUTE;
      await lookTogether(processes, now);
      parts.clock.setTo(now);
      const { items } = await parts.stores.schedules.runs(single.id, ONE);
      expect(items).toMatchObject([{ slotAt: now, outcome: 'started' }]);
      expect(await parts.endJobs(10)).toBe(1);
    }
    await parts.manageSchedules.remove(operator, single.id);
    expect((await parts.stores.jobs.list({}, ONE)).total).toBe(slots);

    for (let round = 0; round < rounds(3, 60); round += 1) {
      const { id } = await parts.startBatch.execute(operator, {
        selector: { all: true },
        jobType: 'os_update_check',
        bounds: { maxParallel: 2, canary: 1 },
      });
      const begun: number[] = [];
      for (let look = 0; look < 20; look += 1) {
        await lookTogether(processes, parts.clock.now());
        const ended = await parts.endJobs(10);
        if (ended === 0) break;
        begun.push(ended);
      }
      await parts.advance.execute(signal);
      expect(begun[0]).toBe(1);
      expect(Math.max(...begun)).toBeLessThanOrEqual(2);
      expect(await parts.stores.batches.find(id)).toMatchObject({
        status: 'success',
        counts: { ...NO_MEMBERS, success: 6 },
      });
      expect(begun.reduce((sum, each) => sum + each, 0)).toBe(6);
    }
    await Promise.all(processes.map((each) => each.kill()));
  });

  it('does not start a slot whose process was killed between the stamp and the job', async () => {
    const { id } = await add('stamped', [2], '* * * * *');
    const process = await startProcess();
    const now = parts.clock.now() + MINUTE;
    await process.call('stampAndHang', { now });
    await process.kill();
    const runs = async () => (await parts.stores.schedules.runs(id, { limit: 10, offset: 0 })).items;
    expect(await runs()).toMatchObject([{ slotAt: now, outcome: 'starting' }]);
    parts.clock.setTo(now);
    await parts.due.execute(signal);
    expect(await runs()).toMatchObject([{ outcome: 'starting', jobId: null }]);
    await parts.stores.passTime(2 * MINUTE);
    await parts.due.execute(signal);
    expect(await runs()).toMatchObject([{ outcome: 'missed', code: 'worker_lost', jobId: null }]);
    expect((await parts.stores.jobs.list({ serverId: 2, activeOnly: true }, ONE)).total).toBe(0);
    parts.clock.setTo(now + MINUTE);
    await parts.due.execute(signal);
    expect((await runs())[0]).toMatchObject({ slotAt: now + MINUTE, outcome: 'started' });
    await parts.endJobs(10);
    await parts.manageSchedules.remove(operator, id);
  });

  it('starts nothing twice and deletes nothing if processes are killed at any time', async () => {
    await opened.database.knex('batch_members').delete();
    await opened.database.knex('batches').delete();
    await opened.database.knex('jobs').delete();
    const time: FastTime = { start: parts.clock.now() + MINUTE, epoch: Date.now() };
    parts.clock.setTo(fastNow(time));
    for (const id of [1, 2, 3]) await add(`killed-${id}`, [id], '* * * * *');
    await add('killed-all', [], '*/2 * * * *');
    const kills = rounds(4, 120);
    const over: Promise<void>[] = [];
    const start = async (): Promise<JobProcess> => {
      const process = await startProcess();
      over.push(
        process.call('workForEver', time).then(
          () => {},
          (error: Error) => {
            if (error.message !== 'the process ended: SIGKILL') throw error;
          },
        ),
      );
      return process;
    };
    const workers = await Promise.all([start(), start()]);
    // A schedule keeps its last hundred runs; more than that come and go here.
    const history = new Map<number, Run>();
    for (let kill = 0; kill < kills; kill += 1) {
      await noteRuns(history);
      const next = start();
      await sleep(Math.random() * 150);
      await workers.shift()?.kill();
      workers.push(await next);
    }
    await Promise.all(workers.map((each) => each.kill()));
    await Promise.all(over);
    const seen = await settled(time, history);
    console.log(`${opened.database.kind}: ${kills} kills, ${JSON.stringify(seen)}`);
    expect(seen.startedByRuns).toBeGreaterThan(0);
    expect(seen.startedByBatches).toBeGreaterThan(0);
  });

  /** Records the state of each run. */
  async function noteRuns(history: Map<number, Run>): Promise<void> {
    const runs: Run[] = await opened.database
      .knex('schedule_runs')
      .select('id', 'outcome', 'job_id', 'batch_id');
    for (const run of runs) history.set(run.id, run);
  }

  /** Ends running jobs, and compares the jobs with their origins. */
  async function settled(time: FastTime, history: Map<number, Run>) {
    const { knex } = opened.database;
    const running = await parts.stores.schedules.list();
    for (const { id } of running) await parts.manageSchedules.edit(operator, id, { enabled: false });
    parts.clock.setTo(fastNow(time));
    // A job whose process was killed while it ran is the sweep's.
    const orphans: { owner: string }[] = await knex('jobs').where({ status: 'running' }).select('owner');
    const deadOwners = orphans.map(({ owner }) => owner);
    await parts.stores.queue.sweep({ deadOwners, limit: 100, at: parts.clock.now(), record: noRecord });
    for (let look = 0; look < 200; look += 1) {
      await parts.advance.execute(signal);
      await parts.endJobs(100);
      if ((await parts.stores.batches.running(0, 1)).length === 0) break;
    }
    expect(await parts.stores.batches.running(0, 1)).toEqual([]);
    await parts.stores.passTime(2 * MINUTE);
    await parts.due.execute(signal);

    const jobs: { id: number }[] = await knex('jobs').select('id');
    await noteRuns(history);
    const runs = [...history.values()];
    const members: { batch_id: number; server_id: number; status: string; job_id: number | null }[] =
      await knex('batch_members').select('batch_id', 'server_id', 'status', 'job_id');
    const batches: { id: number }[] = await knex('batches').select('id');

    // Time advances a hundred times faster here than for abandoning a start: some are pruned before they are given
    // up.
    expect(await knex('schedule_runs').where({ outcome: 'starting' }).select('id')).toEqual([]);
    for (const { outcome, job_id, batch_id } of runs) {
      expect(outcome === 'started').toBe(job_id !== null || batch_id !== null);
    }
    const byRuns = runs.flatMap(({ job_id }) => (job_id === null ? [] : [job_id]));
    const byBatches = members.flatMap(({ job_id }) => (job_id === null ? [] : [job_id]));
    const sorted = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b);
    // Every job was started for one thing, and everything that claims a job has its own.
    expect(sorted([...byRuns, ...byBatches])).toEqual(sorted(jobs.map(({ id }) => id)));
    expect(sorted(runs.flatMap(({ batch_id }) => (batch_id === null ? [] : [batch_id])))).toEqual(
      sorted(batches.map(({ id }) => id)),
    );
    for (const { id } of batches) {
      const counts = { ...NO_MEMBERS };
      for (const member of members) {
        if (member.batch_id === id) counts[member.status as keyof typeof counts] += 1;
      }
      expect((await parts.stores.batches.find(id))?.counts).toEqual(counts);
    }
    return {
      runs: runs.length,
      missed: runs.filter(({ outcome }) => outcome === 'missed').length,
      startedByRuns: byRuns.length,
      batches: batches.length,
      startedByBatches: byBatches.length,
    };
  }
}

describe('schedules and batches of several processes on SQLite', () => automation(sqliteDatabase));
describeWith('mariadb', 'schedules and batches of several processes on MariaDB', () =>
  automation(mariaDbDatabase),
);
