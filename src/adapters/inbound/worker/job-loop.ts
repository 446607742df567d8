import { setMaxListeners } from 'node:events';
import type { ClaimJobs } from '../../../application/jobs/claim-jobs.ts';
import type { JobWakeup } from '../../../application/jobs/job-wakeup.ts';
import type { RunClaimedJob } from '../../../application/jobs/run-claimed-job.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { Claim } from '../../../application/ports/jobs/job-queue.ts';
import type { TerminalStatus } from '../../../domain/jobs/job.ts';
import type { JobType } from '../../../domain/jobs/job-types.ts';
import { Periodic } from './periodic.ts';

/** Another process may have created a job; this one is notified only of its own. */
const LOOK_EVERY_MS = 1_000;
/** Many jobs of a batch are created, and end, at the same time; waiting ones are claimed together. */
const REST_MS = 20;

/** Called for every job that this process took to its end. */
export interface JobMetrics {
  job(type: JobType, outcome: TerminalStatus): void;
}

interface Deps {
  readonly claim: ClaimJobs;
  readonly run: RunClaimedJob;
  readonly wakeup: JobWakeup;
  readonly clock: Clock;
  readonly log: Logger;
  readonly concurrency: number;
  readonly metrics: JobMetrics;
}

/** Runs jobs, with a limit on concurrent ones in this process. */
export class JobLoop {
  readonly #deps: Deps;
  readonly #loop: Periodic;
  readonly #forget: () => void;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#loop = new Periodic(
      { name: 'claiming jobs', everyMs: LOOK_EVERY_MS, restMs: REST_MS, work: () => this.#fill() },
      deps,
    );
    // Every running job listens to it.
    setMaxListeners(0, this.#stopping.signal);
    this.#forget = deps.wakeup.onJobWaits(() => this.#loop.wake());
  }

  start(): void {
    this.#loop.start();
  }

  /** Claims no more, releases running jobs, and resolves once all have stopped. */
  async stop(): Promise<void> {
    this.#forget();
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#underWay);
  }

  async #fill(): Promise<void> {
    const free = this.#deps.concurrency - this.#underWay.size;
    if (free <= 0) return;
    for (const claim of await this.#deps.claim.execute(free)) {
      const running = this.#runOne(claim).finally(() => {
        this.#underWay.delete(running);
        // The place is free: check immediately for a waiting job.
        this.#loop.wake();
      });
      this.#underWay.add(running);
    }
  }

  async #runOne(claim: Claim): Promise<void> {
    const ended = await this.#deps.run.execute(claim, this.#stopping.signal);
    if (ended) this.#deps.metrics.job(ended.jobType, ended.status);
  }
}
