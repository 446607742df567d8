import { DomainError } from '../../domain/base/errors.ts';
import type { Server, ServerFacts } from '../../domain/fleet/server.ts';
import type { Job, JobResult } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import type { ReportStep } from '../../domain/jobs/phases.ts';
import type { Reach } from '../ports/backups/backup-engine.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

/**
 * All that a runner needs. What it learns about the server is part of its result, to be written with the end of the
 * job.
 */
export interface JobContext {
  readonly job: Job;
  readonly server: Server;
  /**
   * Aborted, with a `DomainError` as its reason, when the job is cancelled, its lease is lost, its time is up or the
   * service stops. The runner then stops as soon as it safely can, and throws that reason.
   */
  readonly signal: AbortSignal;
  /**
   * Opens the server's host; it is released when the job ends. Commands on it end with `signal`; work that must be
   * followed beyond the job's own signal gives another.
   */
  readonly openHost: (purpose?: 'commands' | 'bulk', signal?: AbortSignal) => Promise<RemoteHost>;
  /** One line of the job's log; line breaks split it into several. */
  readonly log: (line: string) => void;
  /** Work on the host that outlives this process; see `DetachedWork`. */
  readonly detached: DetachedHold;
  /** The current step, and 0 to 100 if known. */
  readonly progress: ReportStep;
}

/** How a job holds on to work that outlives its worker. */
export interface DetachedHold {
  /** Names the job's run on hosts: unique over services and jobs, the same for each worker of the job. */
  readonly runId: string;
  /** The previous worker's record; `null` for a new job. */
  readonly marker: string | null;
  /** Writes the marker immediately. */
  readonly mark: (marker: string) => Promise<void>;
  /** Logs a line together with the marker that records how far the log of the run has been followed. */
  readonly log: (line: string, marker: string) => void;
  /** Waits until all of the log is written. */
  readonly flush: () => Promise<void>;
  /** Declares that the work continues despite a cancel request: from now on the work decides how it ends. */
  readonly carryOn: () => void;
}

export interface RunResult {
  /** One line on how it went. */
  readonly summary: string;
  readonly result: JobResult;
  readonly facts?: Partial<ServerFacts>;
  /** The job failed with this, but its result and facts are still valid. */
  readonly failure?: DomainError | null;
  /** Runs once the result is stored, such as removing the run's files from the host. Failures are only logged. */
  readonly afterwards?: (() => Promise<void>) | undefined;
}

/** Does the work of a job type. */
export interface JobRunner {
  readonly types: readonly JobType[];
  /** How long a job may take at the most, in milliseconds. */
  readonly timeLimitMs: number;
  /** What would be done, as data; changes nothing. */
  plan(context: JobContext): Promise<RunResult>;
  /** Does it. */
  apply(context: JobContext): Promise<RunResult>;
}

/** The runners by job type. A type without one is not accepted. */
export class JobRunners {
  readonly #byType: ReadonlyMap<JobType, JobRunner>;

  constructor(runners: readonly JobRunner[]) {
    this.#byType = new Map(runners.flatMap((runner) => runner.types.map((type) => [type, runner] as const)));
  }

  get types(): readonly JobType[] {
    return [...this.#byType.keys()];
  }

  find(type: JobType): JobRunner | null {
    return this.#byType.get(type) ?? null;
  }

  /** Throws `job_type_unavailable`. */
  require(type: JobType): void {
    if (this.#byType.has(type)) return;
    throw new DomainError(
      'job_type_unavailable',
      `This version does not run jobs of type ${type}; it runs ${this.types.join(', ')}.`,
    );
  }
}

/** Connects to the job's server when it is first asked to; the job releases it. */
export function reachOf(context: JobContext): Reach {
  let opened: Promise<RemoteHost> | null = null;
  return () => (opened ??= context.openHost('bulk'));
}
