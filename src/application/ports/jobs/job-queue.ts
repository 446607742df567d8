import type { Instant } from '../../../domain/base/instant.ts';
import type { ServerFacts } from '../../../domain/fleet/server.ts';
import type { HostWait } from '../../../domain/jobs/host-wait.ts';
import type { Job, JobError, JobResult, TerminalStatus } from '../../../domain/jobs/job.ts';
import type { JobPhase } from '../../../domain/jobs/phases.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/**
 * The right to work on a job. The fence decides, not the time: an expired lease only allows others to take the job
 * over, and until one does (with a greater fence) no one else can have acted, so its holder may still renew it or
 * finish.
 */
export interface Claim {
  readonly job: Job;
  readonly owner: string;
  readonly fence: number;
  /**
   * What a previous owner left to attach to, such as a run directory on the host. `job.startedAt` is then its start.
   */
  readonly runMarker: string | null;
  /** `null`: it has not waited for its host. */
  readonly hostWait: HostWait | null;
}

export interface JobOutcome {
  readonly status: TerminalStatus;
  readonly summary: string;
  readonly error: JobError | null;
  readonly result: JobResult | null;
  /** The last whole lines of its log, at most 64 KiB; written as `appendLog` does, with the end of the job. */
  readonly log?: string;
  /** All steps of the job; absent: as `progress` recorded them. */
  readonly phases?: readonly JobPhase[];
  /** Facts about the server; written with the end of the job or not at all. */
  readonly facts?: Partial<ServerFacts>;
}

export interface JobProgress {
  readonly current: string;
  readonly percent: number | null;
  /** All steps so far; absent: unchanged. */
  readonly phases?: readonly JobPhase[];
}

/**
 * The workers' side of jobs. Leases are measured by the database's clock. Every method that takes a claim throws
 * `lease_lost` once the job has another owner, another fence, or an end: the caller then stops touching the host.
 */
export interface JobQueue {
  /**
   * Claims up to `limit` pending jobs for `leaseMs`: `pending → running`, `fence + 1`. Oldest first among those that
   * may run; a job that has to wait for another on its server (`mustWaitFor`) is skipped, with the reason in
   * `current`. Two workers never get the same job. `startedAt` becomes `at`, or stays if the job had started before;
   * so does `cancelRequestedAt`, which a new owner has to check. A job that waits for its host is skipped until its
   * next try, which needs no further record. Either all jobs of a call are claimed, with their records, or none.
   */
  claim(request: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly limit: number;
    readonly at: Instant;
    readonly record: (job: Job) => ChangeRecord;
  }): Promise<readonly Claim[]>;
  /** Extends the lease; returns whether a stop was requested. */
  heartbeat(claim: Claim, leaseMs: number): Promise<{ readonly cancelRequested: boolean }>;
  /**
   * Appends whole lines (each ended by a newline) to the log; 10 MB are kept: head and tail. Throws `RangeError` for
   * more than 64 KiB or an incomplete line. After any failure except `lease_lost`, call again with a text that starts
   * with the same lines: lines that were written after all are not written twice. A run marker is stored with its
   * lines, or neither is.
   */
  appendLog(claim: Claim, text: string, at: Instant, runMarker?: string): Promise<void>;
  progress(claim: Claim, progress: JobProgress): Promise<void>;
  /** Records what another owner can attach to. */
  mark(claim: Claim, runMarker: string): Promise<void>;
  /**
   * Ends the job, frees its lane, writes log, facts, events and audit: all in one transaction. Summary and error are kept as
   * one line each, of at most 500 and 2,000 characters; throws `RangeError` for a result of more than 1 MiB.
   */
  finish(claim: Claim, outcome: JobOutcome, at: Instant, record: (job: Job) => ChangeRecord): Promise<Job>;
  /** Gives a job back unfinished, to be claimed again (a graceful stop). Lane, log, run marker and first start stay. */
  giveBack(claim: Claim): Promise<void>;
  /**
   * Returns a job to the queue that has not started since its host is unreachable: pending again, not started, and not claimed
   * before `nextTryAt`, unless it is cancelled. Its lane stays.
   */
  awaitHost(
    claim: Claim,
    wait: { readonly at: Instant; readonly nextTryAt: Instant; readonly current: string },
  ): Promise<void>;
  /**
   * Finds running jobs whose lease has expired or whose owner is among `deadOwners`. Those with a run marker return
   * to `pending` as in `giveBack`, unless they were claimed `MAX_CLAIMS` times; the others end as `failed` with
   * `worker_lost`, and with an audit record. Returns the ended ones. At most `limit` a call, oldest first.
   */
  sweep(request: {
    readonly deadOwners: readonly string[];
    readonly limit: number;
    readonly at: Instant;
    readonly record: (job: Job) => ChangeRecord;
  }): Promise<readonly Job[]>;
}
