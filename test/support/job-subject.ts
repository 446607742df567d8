import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { Claim, JobOutcome, JobQueue } from '../../src/application/ports/jobs/job-queue.ts';
import type { JobStore } from '../../src/application/ports/jobs/job-store.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { auditEntry } from '../../src/domain/events/audit-entry.ts';
import type { ServerFacts } from '../../src/domain/fleet/server.ts';
import { type Job, type JobParams, type JobStatus, type NewJob } from '../../src/domain/jobs/job.ts';
import type { LogLimits } from '../../src/domain/jobs/job-log.ts';
import { type JobType, laneOf } from '../../src/domain/jobs/job-types.ts';
import { AT, noRecord } from './stores-subject.ts';

export { noRecord } from './stores-subject.ts';

/** Both job ports over the same jobs, and a way to look behind them. */
export interface JobSubject {
  readonly store: JobStore;
  readonly queue: JobQueue;
  /** Returns the id of a new server. */
  addServer(name: string): Promise<number>;
  removeServer(id: number): Promise<void>;
  factsOf(serverId: number): Promise<ServerFacts>;
  /** Everything left behind so far, oldest first: `job.request job:1`, `job.started 1`. */
  record(): Promise<{ readonly audit: readonly string[]; readonly events: readonly string[] }>;
  /** Lets every lease grow older. */
  passTime(ms: number): Promise<void>;
  close(): Promise<void>;
}

export type MakeJobSubject = (options: { readonly logLimits?: LogLimits }) => Promise<JobSubject>;

/** Longer than any test takes: leases expire only if a test says so. */
export const LEASE_MS = 600_000;

const NO_PARAMS: JobParams = { sourceFilter: null, service: null, osSteps: null, dryRun: false };

export function newJob(
  serverId: number,
  jobType: JobType = 'backup',
  over: { params?: Partial<JobParams>; status?: JobStatus; at?: number } = {},
): NewJob {
  const params = { ...NO_PARAMS, ...over.params };
  return {
    serverId,
    serverName: `host-${serverId}`,
    jobType,
    lane: laneOf(jobType, params),
    status: over.status ?? 'pending',
    params,
    createdAt: over.at ?? AT,
    scheduled: false,
    requestedBy: 'token 1 (ci)',
    requester: { kind: 'token', id: 1 },
    reason: `why ${jobType}`,
  };
}

/** One audit entry and, once the job is beyond waiting, one event. */
export const trailOf =
  (action: string) =>
  (job: Job): ChangeRecord => ({
    audit: [auditEntry(Actor.system('test'), AT, action, `job:${job.id}`, { status: job.status })],
    events: [
      {
        type:
          job.status === 'failed'
            ? 'job.failed'
            : job.status === 'cancelled'
              ? 'job.cancelled'
              : 'job.started',
        at: AT,
        severity: 'info',
        title: `${job.jobType} on ${job.serverName}`,
        message: job.status,
        serverId: job.serverId,
        jobId: job.id,
      },
    ],
  });

export const OUTCOME: JobOutcome = { status: 'success', summary: 'Done.', error: null, result: { files: 3 } };

export const enqueue = (subject: JobSubject, job: NewJob): Promise<Job> =>
  subject.store.enqueue(job, noRecord);

export const claim = (subject: JobSubject, limit = 1, owner = 'worker-a'): Promise<readonly Claim[]> =>
  subject.queue.claim({ owner, leaseMs: LEASE_MS, limit, at: AT + 1_000, record: noRecord });

/** Enqueues a job and claims it; nothing else may be pending. */
export async function running(subject: JobSubject, job: NewJob, owner = 'worker-a'): Promise<Claim> {
  const { id } = await enqueue(subject, job);
  const [claimed] = await claim(subject, 1, owner);
  if (claimed?.job.id !== id) throw new Error(`job ${id} was not the one that could be claimed`);
  return claimed;
}

export const finish = (subject: JobSubject, claimed: Claim, over: Partial<JobOutcome> = {}): Promise<Job> =>
  subject.queue.finish(claimed, { ...OUTCOME, ...over }, AT + 2_000, noRecord);

export const sweep = (
  subject: JobSubject,
  over: { deadOwners?: readonly string[]; limit?: number } = {},
): Promise<readonly Job[]> =>
  subject.queue.sweep({ deadOwners: [], limit: 100, at: AT + 3_000, record: noRecord, ...over });

/** The job as it is stored. */
export async function stored(subject: JobSubject, id: number): Promise<Job> {
  const job = await subject.store.find(id);
  if (!job) throw new Error(`job ${id} is gone`);
  return job;
}

/** The whole log, read part by part as a follower does. */
export async function wholeLog(subject: JobSubject, id: number): Promise<{ text: string; cutBytes: number }> {
  let text = '';
  let cutBytes = 0;
  for (let after = 0; ; ) {
    const part = await subject.store.readLog(id, after);
    if (part.text === '') return { text, cutBytes };
    text += part.text;
    cutBytes += part.cutBytes;
    after = part.next;
  }
}
