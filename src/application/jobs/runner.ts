import type { Job, JobResult, JobType } from '../../domain/job.ts';
import type { Server, ServerFacts } from '../../domain/server.ts';
import type { RemoteHost } from '../ports/remote-host.ts';

/** All that a runner works with. What it learns about the server goes back in its result, to be written with the end of the job. */
export interface JobContext {
  readonly job: Job;
  readonly server: Server;
  /**
   * Aborted, with a `DomainError` as its reason, when the job is cancelled, its lease is lost, its time is up or the
   * service stops. The runner then stops as soon as it safely can, and throws that reason.
   */
  readonly signal: AbortSignal;
  /** Opens the server's host; it is released when the job ends. */
  readonly openHost: (purpose?: 'commands' | 'bulk') => Promise<RemoteHost>;
  /** One line for the job's log; line breaks in it become lines of their own. */
  readonly log: (line: string) => void;
  /** What is done now, and 0 to 100 where it is known. */
  readonly progress: (current: string, percent: number | null) => void;
}

export interface RunResult {
  /** One line on how it went. */
  readonly summary: string;
  readonly result: JobResult;
  readonly facts?: Partial<ServerFacts>;
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
}
