import type { Instant } from '../../../domain/base/instant.ts';
import type { JobOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Job, JobStatus, NewJob } from '../../../domain/jobs/job.ts';
import type { JobOrigin } from '../../../domain/jobs/job-origin.ts';
import type { JobType } from '../../../domain/jobs/job-types.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface JobFilter {
  readonly serverId?: number;
  /** Only jobs of these servers; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null;
  /** Only these. */
  readonly ids?: readonly number[];
  readonly status?: JobStatus;
  readonly jobType?: JobType;
  readonly jobTypes?: readonly JobType[];
  /** Pending and running ones only. */
  readonly activeOnly?: boolean;
  /** As `requestedBy` names them. */
  readonly requestedBy?: string;
  /** Only those that schedules started, or only the others. */
  readonly scheduled?: boolean;
  /** Only dry runs, or only the others. */
  readonly dryRun?: boolean;
  /** Asked for at this time or later. */
  readonly since?: Instant;
  /** Asked for before this time. */
  readonly before?: Instant;
}

/** A stretch of a job's log. */
export interface LogPart {
  /** Position for the next read: pass it as `after`. */
  readonly next: number;
  readonly text: string;
  /** Bytes cut from the middle of the log before this part. */
  readonly cutBytes: number;
}

/** Jobs of one type that ended on one day with one outcome. */
export interface EndedJobs {
  /** The start of the day, in UTC. */
  readonly day: Instant;
  readonly jobType: JobType;
  readonly status: Extract<JobStatus, 'success' | 'failed'>;
  readonly jobs: number;
}

/** Neighbours in a list; `null`: the job is at its end. */
export interface Beside {
  readonly newer: number | null;
  readonly older: number | null;
}

/** Jobs as interfaces use them. */
export interface JobStore {
  /**
   * Writes the job, its events and its audit entries in one transaction. Throws `JobAlreadyActive`, with the job that
   * holds the lane, if the server has an active job in it (or a reboot, or a reboot is requested); throws
   * `server_not_found` for a removed server, `plan_used` if another job used the same plan. The database decides
   * races. A job that awaits approval takes no lane; its request is written with it if it carries the terms, and if
   * an identical one of the same requester is open, `JobAlreadyActive` carries that one. Throws `too_many_approvals`.
   * A `trail` may be called more than once, and only its last answer is kept. The job's origin is linked in the same
   * transaction; if that has a job or no longer needs one, nothing is written, and `lease_lost` thrown.
   */
  enqueue(job: NewJob, record: (job: Job) => ChangeRecord, origin?: JobOrigin): Promise<Job>;
  find(id: number): Promise<Job | null>;
  /**
   * Newest first unless another order is given, without their results: only `find` reads those. For a long history without a filter, `total` may
   * include deleted jobs for half a minute.
   */
  list(filter: JobFilter, page: PageRequest, order?: JobOrder): Promise<Page<Job>>;
  /** The ids of the jobs before and after this one in that list, newest first; the job itself may not be in it. */
  beside(id: number, filter: JobFilter): Promise<Beside>;
  /** The results of these jobs, in the order of their ids. A result can be large. */
  results(filter: Pick<JobFilter, 'ids' | 'serverIds'>): Promise<readonly Pick<Job, 'id' | 'result'>[]>;
  countActive(filter: Pick<JobFilter, 'serverIds'>): Promise<number>;
  /** Without those that succeeded, which are most of a long history: they are the rest of the total. */
  countByStatus(filter: Pick<JobFilter, 'serverId' | 'serverIds'>): Promise<ReadonlyMap<JobStatus, number>>;
  /** Jobs of all servers that succeeded or failed in `[from, until)`, dry runs as well, counted per UTC day; in no order. */
  endedPerDay(from: Instant, until: Instant, serverIds?: readonly number[]): Promise<readonly EndedJobs[]>;
  /**
   * The last lines of the log, oldest first; at most 1,000 and 256 KiB. A line marks a cut between them. Throws
   * `job_not_found`.
   */
  tail(id: number, lines: number): Promise<readonly string[]>;
  /**
   * The log after a position (0: from the start); at most 64 KiB a read, in order, nothing twice, no character split.
   * An empty text means that there is no more for now. Throws `job_not_found`.
   */
  readLog(id: number, after: number): Promise<LogPart>;
  /**
   * A waiting job ends as `cancelled` immediately; a running one gets `cancelRequestedAt`, and so does one that waits
   * to be taken over, since part of it may still run on its host. A request for approval is withdrawn. Throws
   * `job_not_found`, `job_not_cancellable` (ended, or asked before).
   */
  requestCancel(id: number, at: Instant, record: (job: Job) => ChangeRecord): Promise<Job>;
}
