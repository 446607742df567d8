import type { Instant } from '../../domain/instant.ts';
import type { Job, JobError, JobResult, TerminalStatus } from '../../domain/job.ts';
import type { ServerFacts } from '../../domain/server.ts';
import type { Trail } from './trail.ts';

/** The right to work on a job: good while the lease runs, and void once another owner has a greater fence. */
export interface Claim {
  readonly job: Job;
  readonly owner: string;
  readonly fence: number;
  /** What a former owner left to attach to, such as a run directory on the host. */
  readonly runMarker: string | null;
}

export interface JobOutcome {
  readonly status: TerminalStatus;
  readonly summary: string;
  readonly error: JobError | null;
  readonly result: JobResult | null;
  /** What the job learnt about its server; written with the end of the job or not at all. */
  readonly facts?: Partial<ServerFacts>;
}

/**
 * The workers' side of jobs. Leases are measured by the database's clock. Every method that takes a claim throws
 * `lease_lost` once the job has another owner, another fence, or an end: the caller then stops touching the host.
 */
export interface JobQueue {
  /**
   * Claims up to `limit` pending jobs for `leaseMs`: `pending → running`, `fence + 1`. Oldest first among those that may
   * run; a job that has to wait for another on its server (`mustWaitFor`) is left, with the reason in `current`. Two
   * workers never get the same job.
   */
  claim(request: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly limit: number;
    readonly at: Instant;
    readonly trail: (job: Job) => Trail;
  }): Promise<readonly Claim[]>;
  /** Extends the lease; tells whether somebody asked the job to stop. */
  heartbeat(claim: Claim, leaseMs: number): Promise<{ readonly cancelRequested: boolean }>;
  /** Appends whole lines (each ended by a newline) to the log; at most 64 KiB a call. 10 MB are kept: head and tail. */
  appendLog(claim: Claim, text: string, at: Instant): Promise<void>;
  progress(
    claim: Claim,
    progress: { readonly current: string; readonly percent: number | null },
  ): Promise<void>;
  /** Remembers what another owner can attach to. */
  mark(claim: Claim, runMarker: string): Promise<void>;
  /** Ends the job, frees its lane, writes facts, events and audit: all in one transaction. */
  finish(claim: Claim, outcome: JobOutcome, at: Instant, trail: (job: Job) => Trail): Promise<Job>;
  /** Gives a job back unfinished, to be claimed again (a graceful stop). */
  giveBack(claim: Claim): Promise<void>;
  /**
   * Finds running jobs whose lease has run out or whose owner is among `deadOwners`. Those with a run marker go back to
   * `pending`; the others end as `failed` with `worker_lost`. Returns the ones it ended. At most `limit` a call.
   */
  sweep(request: {
    readonly deadOwners: readonly string[];
    readonly limit: number;
    readonly at: Instant;
    readonly trail: (job: Job) => Trail;
  }): Promise<readonly Job[]>;
}
