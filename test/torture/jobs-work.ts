import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { Claim, JobOutcome } from '../../src/application/ports/jobs/job-queue.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { isTerminal, type Job, type TerminalStatus } from '../../src/domain/jobs/job.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { enqueue, type JobSubject, newJob } from '../support/job-subject.ts';

export interface Work {
  readonly owner: string;
  readonly serverIds: readonly number[];
  /** Its record of actions, line by line, each before it continues. */
  readonly notes: string;
  readonly leaseMs: number;
}

const TYPES: readonly JobType[] = ['backup', 'os_patch', 'container_patch', 'os_update_check', 'host_reboot'];
const ENDS: readonly TerminalStatus[] = ['success', 'failed', 'cancelled'];

const oneOf = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;
const chance = (of: number): boolean => Math.random() < of;

/** One event for each start and one for the end: counted, they show whether any was lost or doubled. */
export const telling = (job: Job): ChangeRecord => ({
  events: [
    {
      type: isTerminal(job.status)
        ? job.status === 'failed'
          ? 'job.failed'
          : 'job.succeeded'
        : 'job.started',
      at: 0,
      severity: 'info',
      title: job.status,
      message: '',
      serverId: job.serverId,
      jobId: job.id,
    },
  ],
});
const tellingEnds = (job: Job): ChangeRecord => (isTerminal(job.status) ? telling(job) : {});

/** Asks for jobs, cancels, claims, logs, finishes and sweeps, at random, until the process is killed. */
export async function workForEver(jobs: JobSubject, work: Work): Promise<never> {
  const file = openSync(work.notes, 'a');
  process.on('exit', () => closeSync(file));
  const note = (text: string): void => void writeSync(file, `${text}\n`);
  const known: number[] = [];
  for (;;) {
    await tolerating(async () => {
      const { id } = await enqueue(jobs, newJob(oneOf(work.serverIds), oneOf(TYPES)));
      note(`accepted ${id}`);
      known.push(id);
    });
    if (known.length > 0 && chance(0.2)) {
      await tolerating(() => jobs.store.requestCancel(oneOf(known), 1, tellingEnds));
    }
    if (chance(0.2)) await jobs.queue.sweep({ deadOwners: [], limit: 5, at: 1, record: telling });
    const { owner, leaseMs } = work;
    const claims = await jobs.queue.claim({ owner, leaseMs, limit: 3, at: 1, record: telling });
    await Promise.all(claims.map((claim) => tolerating(() => runJob(jobs, claim, note, leaseMs))));
    // Others need the processor too, not least the next worker to start.
    await sleep(Math.random() * 15);
  }
}

/** Actions of others at any time: hold the lane, end the job, take it over. */
async function tolerating(step: () => Promise<unknown>): Promise<void> {
  await step().catch((error: unknown) => {
    const expected = ['job_already_active', 'job_not_cancellable', 'lease_lost'] as const;
    if (!expected.some((code) => isDomainError(error, code))) throw error;
  });
}

async function runJob(
  jobs: JobSubject,
  claim: Claim,
  note: (text: string) => void,
  leaseMs: number,
): Promise<void> {
  const { queue } = jobs;
  const { id } = claim.job;
  const lines = 1 + Math.floor(Math.random() * 5);
  for (let n = 1; n <= lines; n += 1) {
    const text = `${id}/${claim.fence}/${n}`;
    note(`appending ${text}`);
    await queue.appendLog(claim, `${text}\n`, n);
    note(`appended ${text}`);
    if (chance(0.3)) await queue.mark(claim, `runs/${id}`);
    if (chance(0.3)) await queue.progress(claim, { current: `step ${n}`, percent: n });
    if (chance(0.3)) await queue.heartbeat(claim, leaseMs);
    if (chance(0.1)) return queue.giveBack(claim);
    await sleep(Math.random() * 4);
  }
  const outcome: JobOutcome = { status: oneOf(ENDS), summary: 'Done.', error: null, result: { lines } };
  const ended = await queue.finish(claim, { ...outcome, facts: { osUpdatesCount: lines } }, 2, telling);
  note(`ended ${id} ${ended.status}`);
}
