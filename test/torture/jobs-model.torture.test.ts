import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { JobAlreadyActive, TERMINAL_STATUSES } from '../../src/domain/jobs/job.ts';
import { empty, sqliteDatabase, type TestDatabase } from '../support/databases.ts';
import { type JobSubject, newJob, OUTCOME, wholeLog } from '../support/job-subject.ts';
import { rounds } from '../support/rounds.ts';
import { jobsOn } from '../support/sql-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';
import { JobsModel, LEASE_MS, STEP_MS } from './jobs-model.ts';

const OWNERS = ['worker-a', 'worker-b'] as const;

const kind = fc.constantFrom(
  ...([
    'backup',
    'os_patch',
    'container_patch',
    'os_update_check',
    'host_reboot',
    'docker_stack_deploy',
  ] as const),
);
const which = fc.nat(1_000);
const limit = fc.integer({ min: 1, max: 4 });

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('enqueue' as const),
        server: fc.nat(1),
        kind,
        project: fc.nat(1),
        approval: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('claim' as const), owner: fc.constantFrom(...OWNERS), limit }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('beat', 'append', 'progress', 'mark', 'giveBack'), which }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('finish' as const),
        which,
        status: fc.constantFrom(...TERMINAL_STATUSES),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('sweep' as const),
        dead: fc.constantFrom(...OWNERS, 'nobody'),
        limit,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const) }) },
  ),
  { maxLength: 80, size: 'max' },
);
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

/** The code of a refusal, or the result. */
const outcomeOf = <T>(work: Promise<T>): Promise<T | string> =>
  work.catch((error: unknown) => {
    if (isDomainError(error))
      return error instanceof JobAlreadyActive ? `held by ${error.job.id}` : error.code;
    throw error;
  });

/** One history, lived through by the model and by the real thing. */
class Life {
  readonly #model = new JobsModel();
  readonly #jobs: JobSubject;
  readonly #servers: readonly number[];
  readonly #claims: Claim[] = [];
  #lines = 0;

  constructor(jobs: JobSubject, servers: readonly number[]) {
    this.#jobs = jobs;
    this.#servers = servers;
  }

  async live(step: Step): Promise<void> {
    switch (step.do) {
      case 'enqueue':
        return this.#enqueue(step);
      case 'claim':
        return this.#claim(step.owner, step.limit);
      case 'cancel':
        return this.#cancel(step.which);
      case 'sweep':
        return this.#sweep(step.dead, step.limit);
      case 'pass':
        this.#model.now += STEP_MS;
        return this.#jobs.passTime(STEP_MS);
      default:
        return this.#write(step);
    }
  }

  async compare(): Promise<void> {
    const { items } = await this.#jobs.store.list({}, { limit: 100, offset: 0 });
    const real = items.map((job) => [job.id, job.status, job.current, job.cancelRequestedAt !== null]);
    const expected = this.#model.jobs.map((job) => [job.id, job.status, job.current, job.cancelAsked]);
    expect(real.toReversed()).toEqual(expected);
  }

  async compareLogs(): Promise<void> {
    for (const { id, log } of this.#model.jobs) expect((await wholeLog(this.#jobs, id)).text).toBe(log);
  }

  async #enqueue(step: Extract<Step, { do: 'enqueue' }>): Promise<void> {
    const server = this.#servers[step.server] ?? 0;
    const params = step.kind === 'docker_stack_deploy' ? { sourceFilter: `/srv/${step.project}` } : {};
    const status = step.approval && step.project === 0 ? 'awaiting_approval' : 'pending';
    const asked = newJob(server, step.kind, { params, status });
    const holder = status === 'pending' ? this.#model.holder(server, asked.lane) : undefined;
    const real = await outcomeOf(this.#jobs.store.enqueue(asked, noRecord));
    if (holder || typeof real === 'string') {
      expect(real).toBe(`held by ${holder?.id}`);
      return;
    }
    this.#model.jobs.push({
      id: real.id,
      server,
      type: step.kind,
      lane: asked.lane,
      status,
      owner: null,
      fence: 0,
      leaseEnds: 0,
      marked: false,
      cancelAsked: false,
      current: null,
      log: '',
    });
  }

  async #claim(owner: string, most: number): Promise<void> {
    const expected = this.#model.claim(owner, most);
    const real = await this.#jobs.queue.claim({
      owner,
      leaseMs: LEASE_MS,
      limit: most,
      at: AT,
      record: noRecord,
    });
    expect(real.map((claim) => claim.job.id)).toEqual(expected);
    this.#claims.push(...real);
    expect(this.#claims.map(({ fence }) => fence)).toEqual(this.#model.claims.map(({ fence }) => fence));
  }

  /** By one of all claims there ever were, good or not. */
  async #write(step: Extract<Step, { which: number }>): Promise<void> {
    const n = step.which % Math.max(1, this.#claims.length);
    const [claim, modelClaim] = [this.#claims[n], this.#model.claims[n]];
    if (!claim || !modelClaim) return;
    const held = this.#model.held(modelClaim);
    const line = `line ${++this.#lines}\n`;
    const { queue } = this.#jobs;
    const real = await outcomeOf<unknown>(
      {
        beat: () => queue.heartbeat(claim, LEASE_MS),
        append: () => queue.appendLog(claim, line, AT),
        progress: () => queue.progress(claim, { current: line, percent: 1 }),
        mark: () => queue.mark(claim, 'runs/1'),
        giveBack: () => queue.giveBack(claim),
        finish: () =>
          queue.finish(
            claim,
            { ...OUTCOME, status: 'status' in step ? step.status : 'failed' },
            AT,
            noRecord,
          ),
        cancel: () => Promise.reject(new Error('no write of a claim')),
      }[step.do](),
    );
    if (!held) {
      expect(real).toBe('lease_lost');
      return;
    }
    expect(real).not.toBe('lease_lost');
    if (step.do === 'beat') {
      held.leaseEnds = this.#model.now + LEASE_MS;
      expect(real).toEqual({ cancelRequested: held.cancelAsked });
    }
    if (step.do === 'append') held.log += line;
    if (step.do === 'progress') held.current = line.trim();
    if (step.do === 'mark') held.marked = true;
    if (step.do === 'giveBack') this.#model.putBack(held);
    if (step.do === 'finish') this.#model.end(held, step.status);
  }

  async #cancel(number: number): Promise<void> {
    const job = this.#model.jobs[number % Math.max(1, this.#model.jobs.length)];
    if (!job) return;
    const real = await outcomeOf(this.#jobs.store.requestCancel(job.id, AT, noRecord));
    if (this.#model.cancel(job)) expect(real).toMatchObject({ id: job.id, status: job.status });
    else expect(real).toBe('job_not_cancellable');
  }

  async #sweep(dead: string, most: number): Promise<void> {
    const expected = this.#model.sweep(dead, most);
    const real = await this.#jobs.queue.sweep({ deadOwners: [dead], limit: most, at: AT, record: noRecord });
    expect(real.map((job) => job.id)).toEqual(expected);
  }
}

async function liveThrough(jobs: JobSubject, history: readonly Step[]): Promise<void> {
  const life = new Life(jobs, [await jobs.addServer('one'), await jobs.addServer('two')]);
  for (const step of history) {
    await life.live(step);
    await life.compare();
  }
  await life.compareLogs();
}

describe('whatever happens, jobs go as the model says', () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await sqliteDatabase();
  });
  afterAll(() => opened.drop());

  it('on a database', async () => {
    const property = fc.asyncProperty(steps, async (history) => {
      await empty(opened.database);
      await liveThrough(jobsOn(opened.database), history);
    });
    await fc.assert(property, { numRuns: rounds(25, 1_000) });
  });
});
