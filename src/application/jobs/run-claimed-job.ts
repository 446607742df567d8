import { Actor } from '../../domain/access/actor.ts';
import { count } from '../../domain/base/count.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import { visibleValue } from '../../domain/base/visible-text.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { nextTry, waitsForHost } from '../../domain/jobs/host-wait.ts';
import type { Job, TerminalStatus } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { UseCase } from '../base/use-case.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { Logger } from '../ports/base/logger.ts';
import type { ChangeRecord } from '../ports/events/change-record.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';
import type { Claim, JobOutcome } from '../ports/jobs/job-queue.ts';
import { ClaimedJob, type LeaseTimes } from './claimed-job.ts';
import { jobEvent } from './job-event.ts';
import { planHint } from './job-plans.ts';
import type { JobWakeup } from './job-wakeup.ts';
import type { JobContext, RunResult } from './runner.ts';

/** A run's observable effects so far, whether it ends well or not. */
interface RunState {
  facts: Partial<ServerFacts>;
  /** The work goes on although the job was asked to end. */
  carriesOn: boolean;
  /** Its host was unreachable before the work started. */
  hostDown: boolean;
}

export interface EndedJob {
  readonly jobType: JobType;
  readonly status: TerminalStatus;
}

/**
 * How often a job may restart because the database was unavailable during it; a failure each time is not a
 * coincidence.
 */
const MAX_RESTARTS = 3;

interface Deps {
  readonly opener: HostOpener;
  readonly gate: Pick<MaintenanceGate, 'pass'>;
  readonly wakeup: JobWakeup;
  readonly leaseTimes: LeaseTimes;
}

/** Takes a claimed job to its end, whatever happens on the way. */
export class RunClaimedJob extends UseCase<
  'queue' | 'servers' | 'runners' | 'clock' | 'log' | 'instance',
  Deps
> {
  /**
   * When `stopping` is aborted the job is released, to be claimed again. Returns how it ended; `null` if this worker
   * did not end it. Never throws.
   */
  async execute(claim: Claim, stopping: AbortSignal): Promise<EndedJob | null> {
    const log = this.deps.log.child({
      jobId: claim.job.id,
      jobType: claim.job.jobType,
      serverId: claim.job.serverId,
    });
    const claimed = new ClaimedJob({
      claim,
      queue: this.deps.queue,
      clock: this.deps.clock,
      log,
      times: this.deps.leaseTimes,
    });
    const stop = (): void => claimed.abort(new DomainError('worker_lost', 'The service is stopping.'));
    const forget = this.deps.wakeup.onJobCancelled((id) => {
      if (id === claim.job.id) claimed.abort(new DomainError('job_cancelled', 'The job was cancelled.'));
    });
    stopping.addEventListener('abort', stop, { once: true });
    if (stopping.aborted) stop();
    claimed.start();
    try {
      return await this.#runToEnd(claimed, stopping, log);
    } catch (error) {
      // The lease or the database is lost: another owner or the sweep ends the job.
      log.warn('gave up a job', { error: String(error) });
      return null;
    } finally {
      stopping.removeEventListener('abort', stop);
      forget();
    }
  }

  async #runToEnd(claimed: ClaimedJob, stopping: AbortSignal, log: Logger): Promise<EndedJob | null> {
    const seen: RunState = { facts: {}, carriesOn: false, hostDown: false };
    const { afterwards, ...outcome } = await this.#outcomeOf(claimed, seen, log);
    if (claimed.signal.aborted && isDomainError(claimed.signal.reason, 'lease_lost'))
      throw claimed.signal.reason;
    if (seen.hostDown && !claimed.signal.aborted && (await this.#awaitHost(claimed, outcome))) return null;
    const interrupted = interruption(outcome, claimed.claim, stopping);
    if (interrupted !== null) {
      claimed.log(interrupted);
      await claimed.settle();
      await claimed.flush();
      await claimed.write(() => this.deps.queue.giveBack(claimed.claim));
      return null;
    }
    claimed.log(outcome.status === 'success' ? outcome.summary : (outcome.error?.detail ?? outcome.summary));
    const last = await claimed.settle();
    const at = this.deps.clock.now();
    const end: JobOutcome = {
      ...outcome,
      result: visibleValue(outcome.result),
      phases: claimed.phases,
      log: last,
    };
    const job = await claimed.write(() =>
      this.deps.queue.finish(claimed.claim, end, at, (ended) => this.#record(ended, at)),
    );
    this.deps.wakeup.batchMoves();
    log.info('job ended', { status: job.status, summary: outcome.summary, code: outcome.error?.code });
    await afterwards?.().catch((error: unknown) => {
      log.warn('a job left something on its host', { error: String(error) });
    });
    return { jobType: job.jobType, status: outcome.status };
  }

  async #outcomeOf(
    claimed: ClaimedJob,
    seen: RunState,
    log: Logger,
  ): Promise<JobOutcome & { readonly afterwards?: RunResult['afterwards'] }> {
    try {
      const { afterwards, failure, ...done } = await this.#run(claimed, seen);
      const facts = { ...seen.facts, ...done.facts };
      if (!failure) return { status: 'success', error: null, ...done, facts, afterwards };
      const { code, message } = failure;
      if (code === 'job_cancelled')
        return { status: 'cancelled', ...done, summary: message, error: null, facts, afterwards };
      const error = { code, detail: message };
      return { status: 'failed', ...done, summary: message, error, facts, afterwards };
    } catch (thrown) {
      const error = claimed.signal.aborted && !seen.carriesOn ? claimed.signal.reason : thrown;
      const facts = seen.facts;
      if (isDomainError(error, 'job_cancelled')) {
        return { status: 'cancelled', summary: 'Cancelled.', error: null, result: null, facts };
      }
      if (isDomainError(error)) {
        const { code, message } = error;
        return { status: 'failed', summary: message, error: { code, detail: message }, result: null, facts };
      }
      log.error('a job failed because of an internal error', {
        error: error instanceof Error ? error.stack : String(error),
      });
      const detail = 'Internal error. See the service log.';
      return { status: 'failed', summary: detail, error: { code: 'internal', detail }, result: null, facts };
    }
  }

  async #run(claimed: ClaimedJob, seen: RunState): Promise<RunResult> {
    const { job, runMarker } = claimed.claim;
    const runner = this.deps.runners.find(job.jobType);
    if (!runner)
      throw new DomainError('job_type_unavailable', `This version does not run jobs of type ${job.jobType}.`);
    const server = await this.deps.servers.find(job.serverId);
    if (!server) throw new DomainError('server_not_found', `${job.serverName} was removed.`);
    // It may have waited for long. A job that has started continues after the window closes.
    if (runMarker === null && job.params.outsideWindow !== true) {
      await this.deps.gate.pass(server, job.jobType, job.params.dryRun);
    }

    const opened: RemoteHost[] = [];
    const context: JobContext = {
      job,
      server,
      signal: claimed.signal,
      openHost: async (purpose = 'commands', signal = claimed.signal) => {
        const host = await this.deps.opener.open(server, { signal, purpose });
        opened.push(host);
        seen.facts = { lastSeenAt: this.deps.clock.now() };
        return host;
      },
      log: (line) => claimed.log(line),
      progress: (current, percent, detail) => claimed.progress(current, percent, detail),
      detached: {
        runId: `${this.deps.instance}-${job.id}`,
        marker: runMarker,
        mark: (marker) => claimed.mark(marker),
        log: (line, marker) => claimed.log(line, marker),
        flush: () => claimed.flush(),
        carryOn: () => {
          seen.carriesOn = true;
        },
      },
    };
    const limit = this.#limitTime(claimed, runner.timeLimitMs);
    try {
      claimed.signal.throwIfAborted();
      if (runMarker === null && job.params.waitForHostMinutes !== undefined)
        await reach(context, claimed.claim, seen);
      if (!job.params.dryRun) return await runner.apply(context);
      const planned = await runner.plan(context);
      const hint = planHint(planned.result);
      if (hint !== null) context.log(hint);
      return planned;
    } finally {
      limit.abort();
      for (const host of opened) host.release();
    }
  }

  /** Returns the job to the queue until its next try; false if its time is up. */
  async #awaitHost(claimed: ClaimedJob, { summary }: JobOutcome): Promise<boolean> {
    const { job, hostWait } = claimed.claim;
    const at = this.deps.clock.now();
    const minutes = job.params.waitForHostMinutes ?? 0;
    const next = nextTry(hostWait, minutes, at);
    if (next === null) {
      claimed.log(`The job has waited ${count(minutes, 'minute')} for its host.`);
      return false;
    }
    const current = waitsForHost(job.serverName, next);
    if (hostWait === null) claimed.log(`${summary} ${current}`);
    await claimed.settle();
    await claimed.flush();
    await claimed.write(() => this.deps.queue.awaitHost(claimed.claim, { at, nextTryAt: next.at, current }));
    return true;
  }

  #limitTime(claimed: ClaimedJob, ms: number): AbortController {
    const ended = new AbortController();
    void this.deps.clock.sleep(ms, ended.signal).then(() => {
      if (ended.signal.aborted) return;
      const hours = Math.round(ms / 360_000) / 10;
      claimed.abort(new DomainError('host_timeout', `The job took longer than its limit of ${hours} hours.`));
    });
    return ended;
  }

  #record(job: Job, at: Instant): ChangeRecord {
    const worker = Actor.system('worker');
    const events: DomainEvent[] = [jobEvent(job, at)];
    if (job.error?.code === 'host_key_mismatch') {
      events.push({
        type: 'host_key.mismatch',
        at,
        severity: 'critical',
        title: `The host key of ${job.serverName} is not the confirmed one`,
        message: job.error.detail,
        serverId: job.serverId,
        jobId: job.id,
      });
    }
    const detail = { serverId: job.serverId, status: job.status, code: job.error?.code ?? null };
    return { events, audit: [auditEntry(worker, at, 'job.finish', `job:${job.id}`, detail)] };
  }
}

const ANSWER = { script: ':' };
const ANSWER_WITHIN_MS = 15 * SECOND;
const GONE = ['host_unreachable', 'host_connection_lost', 'host_timeout'] as const;

/** Connects before the work starts, so that an unreachable host means that nothing was done. */
async function reach(context: JobContext, { hostWait }: Claim, seen: RunState): Promise<void> {
  try {
    const host = await context.openHost();
    // A kept connection may be to a host that has gone since.
    await host.run(ANSWER, { signal: context.signal, timeoutMs: ANSWER_WITHIN_MS });
    if (hostWait !== null)
      context.log(
        `${context.server.name} can be reached after ${count(hostWait.tries, 'failed try', 'failed tries')}.`,
      );
  } catch (error) {
    seen.hostDown = GONE.some((code) => isDomainError(error, code));
    throw error;
  }
}

/** For a job that starts again or is taken over: why, for its log; `null` if it ended. */
function interruption({ error }: JobOutcome, claim: Claim, stopping: AbortSignal): string | null {
  if (stopping.aborted && error?.code === 'worker_lost')
    return 'The service is stopping; the job starts again when it is back.';
  if (error?.code === 'database_unavailable' && claim.fence - (claim.hostWait?.tries ?? 0) <= MAX_RESTARTS)
    return 'The database was unreachable; the job starts again.';
  return null;
}
