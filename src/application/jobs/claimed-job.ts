import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { type JobPhase, type StepDetail, withPhase } from '../../domain/jobs/phases.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Logger } from '../ports/base/logger.ts';
import type { Claim, JobProgress, JobQueue } from '../ports/jobs/job-queue.ts';
import { JobLog } from './job-log.ts';

export interface LeaseTimes {
  /** How long a claim is good without a heartbeat. */
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

export const LEASE_TIMES: LeaseTimes = { leaseMs: 30 * SECOND, heartbeatMs: 5 * SECOND };

const FLUSH_EVERY_MS = 500;

interface Deps {
  readonly claim: Claim;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly log: Logger;
  readonly times: LeaseTimes;
}

/**
 * Keeps a claim alive while its work runs: heartbeats, log and progress. `signal` is aborted, with a `DomainError` as its
 * reason, as soon as the work has to end: `lease_lost`, `job_cancelled`, or whatever `abort` is called with.
 */
export class ClaimedJob {
  readonly claim: Claim;
  readonly #deps: Deps;
  readonly #abort = new AbortController();
  readonly #over = new AbortController();
  readonly #log: JobLog;
  #progress: JobProgress | null = null;
  #phases: readonly JobPhase[];
  #loops: Promise<unknown> = Promise.resolve();
  #aliveAt: number;

  constructor(deps: Deps) {
    this.claim = deps.claim;
    this.#deps = deps;
    this.#phases = deps.claim.job.phases;
    this.#aliveAt = deps.clock.now();
    this.#log = new JobLog(
      (text, runMarker) => this.#deps.queue.appendLog(this.claim, text, this.#deps.clock.now(), runMarker),
      () => this.#deps.clock.now(),
    );
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  start(): void {
    this.#loops = Promise.all([this.#beat(), this.#flush()]);
  }

  /** Asks the work to end. The first reason counts. */
  abort(reason: DomainError): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(reason);
  }

  log(line: string, runMarker?: string): void {
    this.#log.add(line, runMarker);
  }

  /** Waits until everything logged so far is written. Throws `lease_lost`. */
  flush(): Promise<void> {
    return this.write(() => this.#log.flush());
  }

  /** Records what another worker can attach to. Throws `lease_lost`. */
  mark(runMarker: string): Promise<void> {
    return this.write(() => this.#deps.queue.mark(this.claim, runMarker));
  }

  progress(current: string, percent: number | null, { phase = current, amount }: StepDetail = {}): void {
    this.#phases = withPhase(this.#phases, { name: phase, amount: amount ?? null }, this.#deps.clock.now());
    this.#progress = {
      current,
      percent: percent === null ? null : Math.min(100, Math.max(0, Math.round(percent))),
      phases: this.#phases,
    };
  }

  /** All steps so far. */
  get phases(): readonly JobPhase[] {
    return this.#phases;
  }

  /** Ends the loops, and gives the end of the log, which is not written yet. Throws `lease_lost`. */
  async settle(): Promise<string> {
    this.#over.abort();
    await this.#loops;
    return this.write(() => this.#log.last());
  }

  /**
   * Does a write of the claim, again and again while the database is away, for as long as the lease can still be ours.
   * Throws `lease_lost` once it can't.
   */
  async write<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const done = await work();
        this.#aliveAt = this.#deps.clock.now();
        return done;
      } catch (error) {
        if (isDomainError(error, 'lease_lost')) {
          this.abort(error);
          throw error;
        }
        this.#deps.log.warn('a job could not be written, trying again', {
          jobId: this.claim.job.id,
          error: String(error),
        });
        if (this.#deps.clock.now() - this.#aliveAt > this.#deps.times.leaseMs) {
          const lost = new DomainError(
            'lease_lost',
            'The database was unavailable for longer than the lease.',
            {
              cause: error,
            },
          );
          this.abort(lost);
          throw lost;
        }
        await this.#deps.clock.sleep(SECOND);
      }
    }
  }

  async #beat(): Promise<void> {
    await this.#until(this.#deps.times.heartbeatMs, async () => {
      // Measured from before the call: the lease may expire while the answer is on its way.
      const asked = this.#deps.clock.now();
      try {
        const { cancelRequested } = await this.#deps.queue.heartbeat(this.claim, this.#deps.times.leaseMs);
        this.#aliveAt = asked;
        if (cancelRequested) this.abort(new DomainError('job_cancelled', 'The job was cancelled.'));
      } catch (error) {
        if (isDomainError(error, 'lease_lost')) this.abort(error);
        else if (this.#deps.clock.now() - this.#aliveAt > this.#deps.times.leaseMs) {
          this.abort(
            new DomainError('lease_lost', 'The database was unavailable for longer than the lease.', {
              cause: error,
            }),
          );
        }
      }
    });
  }

  async #flush(): Promise<void> {
    await this.#until(FLUSH_EVERY_MS, async () => {
      try {
        await this.#log.flush();
        const progress = this.#progress;
        this.#progress = null;
        if (progress) await this.#deps.queue.progress(this.claim, progress);
      } catch (error) {
        if (isDomainError(error, 'lease_lost')) this.abort(error);
        else this.#deps.log.warn('a job log could not be written, kept for later', { error: String(error) });
      }
    });
  }

  async #until(everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.#deps.clock.sleep(everyMs, this.#over.signal);
      if (!this.#over.signal.aborted) await work();
    }
  }
}
