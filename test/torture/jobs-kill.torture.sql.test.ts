import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isTerminal, type Job } from '../../src/domain/jobs/job.ts';
import { lanesCollide, mustWaitFor } from '../../src/domain/jobs/job-types.ts';
import { mariaDbDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.ts';
import { type JobSubject, wholeLog } from '../support/job-subject.ts';
import { rounds, TORTURE } from '../support/rounds.ts';
import { jobsOn } from '../support/sql-job-subject.ts';
import { JobProcess } from './jobs-process.ts';
import { telling } from './jobs-work.ts';

const SERVERS = 4;
const LEASE_MS = 400;
const WORKERS = 3;

/** A worker process and the name it goes by. */
interface Worker {
  readonly owner: string;
  readonly process: JobProcess;
  /** Resolves when its process has ended, with its error unless it was killed. */
  readonly over: Promise<Error | null>;
}

describe.each([
  ['SQLite', sqliteDatabase],
  ['MariaDB', mariaDbDatabase],
])('jobs on %s whose workers are killed at any time', (name, open) => {
  it('all end, run alone in their lanes, and lose or double nothing', async () => {
    const opened = await open();
    const notesDir = await mkdtemp(join(tmpdir(), 'drover-kill-'));
    try {
      const jobs = jobsOn(opened.database);
      const serverIds: number[] = [];
      for (let n = 0; n < SERVERS; n += 1) serverIds.push(await jobs.addServer(`host-${n}`));
      const kills = rounds(6, 250);
      const owners = await killAtRandom(opened, jobs, { notesDir, serverIds, kills });
      await drain(jobs);
      const notes = await readNotes(notesDir, owners);
      const seen = await inspect(opened, jobs, notes);
      if (TORTURE) console.log(`${name}: ${kills} kills, ${JSON.stringify(seen)}`);
      expect(seen.ended).toBeGreaterThan(kills);
    } finally {
      await rm(notesDir, { recursive: true, force: true });
      await opened.drop();
    }
  });
});

async function killAtRandom(
  opened: TestDatabase,
  jobs: JobSubject,
  plan: { notesDir: string; serverIds: number[]; kills: number },
): Promise<string[]> {
  const owners: string[] = [];
  const start = async (): Promise<Worker> => {
    const owner = `worker-${owners.length}`;
    owners.push(owner);
    const process = await JobProcess.start();
    await process.open({ url: opened.url, dataDir: opened.dataDir });
    const work = { owner, serverIds: plan.serverIds, notes: join(plan.notesDir, owner), leaseMs: LEASE_MS };
    const over = process.call('work', work).then(
      () => new Error('a worker stopped working'),
      (error: Error) => (error.message === 'the process ended: SIGKILL' ? null : error),
    );
    return { owner, process, over };
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, start));
  for (let kill = 0; kill < plan.kills; kill += 1) {
    // The next one starts while the others work.
    const next = start();
    await sleep(Math.random() * 120);
    const [victim] = workers.splice(Math.floor(Math.random() * workers.length), 1);
    await victim?.process.kill();
    expect(await victim?.over).toBeNull();
    expectExclusion(await activeJobs(jobs));
    if (victim && Math.random() < 0.7) {
      await jobs.queue.sweep({ deadOwners: [victim.owner], limit: 100, at: 1, record: telling });
    }
    workers.push(await next);
  }
  await Promise.all(workers.map((worker) => worker.process.kill()));
  for (const worker of workers) expect(await worker.over).toBeNull();
  return owners;
}

/** One query of the database shows one moment of it. */
async function activeJobs(jobs: JobSubject): Promise<readonly Job[]> {
  const { items } = await jobs.store.list({ activeOnly: true }, { limit: 1_000, offset: 0 });
  return items;
}

function expectExclusion(active: readonly Job[]): void {
  for (const one of active) {
    for (const other of active) {
      if (one.id >= other.id || one.serverId !== other.serverId) continue;
      expect([one.lane, other.lane, lanesCollide(one.lane, other.lane)]).toEqual([
        one.lane,
        other.lane,
        false,
      ]);
      if (one.status !== 'running' || other.status !== 'running') continue;
      expect([one.lane, other.lane, mustWaitFor(one.lane, other.lane)]).toEqual([
        one.lane,
        other.lane,
        false,
      ]);
    }
  }
}

/** The actions of a last worker that is not killed. */
async function drain(jobs: JobSubject): Promise<void> {
  while ((await jobs.store.countActive({})) > 0) {
    await jobs.queue.sweep({ deadOwners: [], limit: 100, at: 1, record: telling });
    const claims = await jobs.queue.claim({
      owner: 'last',
      leaseMs: 60_000,
      limit: 50,
      at: 1,
      record: telling,
    });
    for (const claim of claims) {
      await jobs.queue.finish(
        claim,
        { status: 'success', summary: 'Done.', error: null, result: null },
        1,
        telling,
      );
    }
    await sleep(20);
  }
}

interface Notes {
  readonly accepted: number[];
  /** `job/fence/line` of started appends, and of completed ones. */
  readonly appending: Set<string>;
  readonly appended: string[];
  readonly ended: Map<number, string>;
}

async function readNotes(dir: string, owners: readonly string[]): Promise<Notes> {
  const notes: Notes = { accepted: [], appending: new Set(), appended: [], ended: new Map() };
  for (const owner of owners) {
    const text = await readFile(join(dir, owner), 'utf8').catch(() => '');
    for (const [verb, what = '', status = ''] of text.split('\n').map((line) => line.split(' '))) {
      if (verb === 'accepted') notes.accepted.push(Number(what));
      if (verb === 'appending') notes.appending.add(what);
      if (verb === 'appended') notes.appended.push(what);
      if (verb === 'ended') notes.ended.set(Number(what), status);
    }
  }
  return notes;
}

async function inspect(
  opened: TestDatabase,
  jobs: JobSubject,
  notes: Notes,
): Promise<{ [what: string]: number }> {
  const { knex } = opened.database;
  const rows = await knex('jobs')
    .orderBy('id')
    .select<{ id: number; status: Job['status']; fence: number }[]>();
  const told = await knex('outbox_events').select<{ job_id: number; type: string }[]>();
  const logged = new Set<string>();
  for (const { id, status, fence } of rows) {
    expect([id, isTerminal(status)]).toEqual([id, true]);
    const events = told.filter((event) => event.job_id === id);
    const starts = events.filter((event) => event.type === 'job.started').length;
    expect([id, starts, events.length - starts]).toEqual([id, fence, 1]);
    const lines = (await wholeLog(jobs, id)).text.split('\n').filter(Boolean);
    expectInOrder(lines);
    for (const line of lines) logged.add(line);
  }
  const ids = new Set(rows.map((row) => row.id));
  expect(notes.accepted.filter((id) => !ids.has(id))).toEqual([]);
  expect(notes.appended.filter((line) => !logged.has(line))).toEqual([]);
  expect([...logged].filter((line) => !notes.appending.has(line))).toEqual([]);
  const changed = rows.filter(({ id, status }) => (notes.ended.get(id) ?? status) !== status);
  expect(changed).toEqual([]);
  return {
    jobs: rows.length,
    ended: notes.ended.size,
    takenUp: rows.filter((row) => row.fence > 1).length,
    lines: logged.size,
    linesCutShort: notes.appending.size - notes.appended.length,
  };
}

/** Of each claim (by its fence) the lines 1, 2, 3, …, and later claims behind earlier ones. */
function expectInOrder(lines: readonly string[]): void {
  let [lastFence, last] = [0, 0];
  for (const line of lines) {
    const [, fence = 0, n = 0] = line.split('/').map(Number);
    const follows = fence === lastFence ? n === last + 1 : fence > lastFence && n === 1;
    expect([lines, line, follows]).toEqual([lines, line, true]);
    [lastFence, last] = [fence, n];
  }
}
