import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { mariaDbDatabase, sqliteDatabase, type TestDatabase } from '../support/databases.ts';
import { type JobSubject, newJob } from '../support/job-subject.ts';
import { rounds } from '../support/rounds.ts';
import { jobsOn } from '../support/sql-job-subject.ts';
import { noRecord } from '../support/stores-subject.ts';
import { JobProcess } from './jobs-process.ts';

const PROCESSES = 8;
/** Long enough for a request to reach every process, in milliseconds. */
const HEADSTART_MS = 6;

type Answer = { readonly accepted: number } | { readonly heldBy: number };

let processes: JobProcess[] = [];
beforeAll(async () => {
  processes = await Promise.all(Array.from({ length: PROCESSES }, () => JobProcess.start()));
});
afterAll(() => Promise.all(processes.map((each) => each.kill())));

describe.each([
  ['SQLite', sqliteDatabase],
  ['MariaDB', mariaDbDatabase],
])('jobs of several processes on %s', (_, open) => {
  let opened: TestDatabase;
  let jobs: JobSubject;
  let named = 0;

  beforeAll(async () => {
    opened = await open();
    jobs = jobsOn(opened.database);
    await Promise.all(processes.map((each) => each.open({ url: opened.url, dataDir: opened.dataDir })));
  });
  afterAll(() => opened.drop());

  const newServer = (): Promise<number> => jobs.addServer(`host-${++named}`);

  /** Each of as many processes asks for a job of the same server at the same moment. */
  const askTogether = (serverId: number, types: readonly JobType[]): Promise<Answer[]> => {
    const at = Date.now() + HEADSTART_MS;
    const asking = processes.slice(0, types.length);
    return Promise.all(
      asking.map((each, n) => each.call<Answer>('enqueueAt', { serverId, jobType: types[n], at })),
    );
  };

  /** Later tests only use their own jobs. */
  afterEach(() => opened.database.knex('jobs').delete());

  it('gives each of 2,000 jobs to one of four processes', async () => {
    const types: JobType[] = ['backup', 'os_patch', 'os_update_check', 'container_update_check'];
    const expected: number[] = [];
    while (expected.length < 2_000) {
      const servers = await Promise.all(Array.from({ length: 10 }, newServer));
      const asked = servers.flatMap((server) => types.map((type) => newJob(server, type)));
      const accepted = await Promise.all(asked.map((job) => jobs.store.enqueue(job, noRecord)));
      expected.push(...accepted.map((job) => job.id));
    }
    const claiming = processes.slice(0, 4);
    const taken = await Promise.all(
      claiming.map((each, n) => each.call<number[]>('claimAll', { owner: `worker-${n}`, limit: 8 })),
    );
    const inOrder = (ids: number[]): number[] => ids.toSorted((a, b) => a - b);
    expect(inOrder(taken.flat())).toEqual(inOrder(expected));
  });

  it.each([2, 8])(
    'lets one of %i in that ask for the same job, and names it to the others',
    async (count) => {
      for (let round = 0; round < rounds(25, 500); round += 1) {
        const answers = await askTogether(await newServer(), Array<JobType>(count).fill('backup'));
        const accepted = answers.flatMap((answer) => ('accepted' in answer ? [answer.accepted] : []));
        const heldBy = answers.flatMap((answer) => ('heldBy' in answer ? [answer.heldBy] : []));
        expect(accepted).toHaveLength(1);
        expect(heldBy).toEqual(Array(count - 1).fill(accepted[0]));
      }
    },
  );

  it('lets a reboot in or the others, never both', async () => {
    const asked: JobType[] = [
      'host_reboot',
      'backup',
      'os_patch',
      'host_reboot',
      'os_update_check',
      'retention',
    ];
    for (let round = 0; round < rounds(25, 500); round += 1) {
      // The first name has a small advantage: all get it in turn.
      const types = asked.map((_type, n) => asked[(n + round) % asked.length] as JobType);
      const server = await newServer();
      await askTogether(server, types);
      const { items } = await jobs.store.list({ serverId: server }, { limit: 100, offset: 0 });
      const lanes = items.map((job) => job.lane).toSorted();
      const others = ['backup', 'os_patch', 'os_update_check', 'retention'];
      expect(lanes).toEqual(lanes.includes('host_reboot') ? ['host_reboot'] : others);
    }
  });

  it('lets one of eight that claim have a server that all of its jobs change', async () => {
    for (let round = 0; round < rounds(25, 500); round += 1) {
      const server = await newServer();
      for (const type of ['os_patch', 'container_patch', 'docker_stack_stop', 'template_deploy'] as const) {
        await jobs.store.enqueue(
          newJob(server, type, { params: { sourceFilter: `/srv/${type}` } }),
          noRecord,
        );
      }
      const at = Date.now() + HEADSTART_MS;
      const taken = await Promise.all(
        processes.map((each, n) => each.call<number[]>('claimAt', { owner: `worker-${n}`, at })),
      );
      expect(taken.flat()).toHaveLength(1);
      const { items } = await jobs.store.list(
        { serverId: server, activeOnly: true },
        { limit: 10, offset: 0 },
      );
      for (const job of items) await jobs.store.requestCancel(job.id, 0, noRecord);
      await jobs.queue.sweep({
        deadOwners: processes.map((_each, n) => `worker-${n}`),
        limit: 99,
        at: 0,
        record: noRecord,
      });
    }
  });
});
