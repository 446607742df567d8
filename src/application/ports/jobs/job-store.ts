import type { Instant } from '../../../domain/base/instant.ts';
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
  /** Pending and running ones only. */
  readonly activeOnly?: boolean;
  /** As `requestedBy` names them. */
  readonly requestedBy?: string;
  /** Only those that schedules started, or only the others. */
  readonly scheduled?: boolean;
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
  /** Bytes cut out of the middle before this part, since the log was too long. */
  readonly cutBytes: number;
}

/** The doors' side of jobs. */
export interface JobStore {
  /**
   * Writes the job, its events and its audit entries in one transaction. Throws `JobAlreadyActive`, with the job that
   * holds the lane, where the server has an active job in it (or a reboot, or is asked for one); throws
   * `server_not_found` for a server that is gone, `plan_used` where another job was made by the same plan. Races are decided by the database. A job that awaits approval takes no
   * lane; its request is written with it where it carries the terms, and where the same one of the same requester waits
   * already, `JobAlreadyActive` tells of that. Throws `too_many_approvals`. A `trail` may be asked for more than once, and only the last answer is kept. What the job is started for is
   * told of it in the same transaction; where that has a job or wants none any more, nothing is written, and `lease_lost`
   * thrown.
   */
  enqueue(job: NewJob, record: (job: Job) => ChangeRecord, origin?: JobOrigin): Promise<Job>;
  find(id: number): Promise<Job | null>;
  /**
   * Newest first, without their results: only `find` reads those. Where a long history is listed without a filter, `total` may
   * for half a minute still count jobs that were forgotten.
   */
  list(filter: JobFilter, page: PageRequest): Promise<Page<Job>>;
  countActive(filter: Pick<JobFilter, 'serverIds'>): Promise<number>;
  /**
   * The last lines of the log, oldest first; at most 1,000 and 256 KiB. Where something was cut out between them, a line
   * says so. Throws `job_not_found`.
   */
  tail(id: number, lines: number): Promise<readonly string[]>;
  /**
   * What was logged after a position (0: from the start); at most 64 KiB a read, in order, nothing twice, no character
   * split. An empty text says that there is no more for now. Throws `job_not_found`.
   */
  readLog(id: number, after: number): Promise<LogPart>;
  /**
   * A job that waits ends as `cancelled` at once; one that runs gets `cancelRequestedAt`, and so does one that waits to
   * be taken up again, since something of it may still run on its host. A request for approval is withdrawn. Throws `job_not_found`, `job_not_cancellable`
   * (ended, or asked before).
   */
  requestCancel(id: number, at: Instant, record: (job: Job) => ChangeRecord): Promise<Job>;
}
