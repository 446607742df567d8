import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { Claim, JobOutcome, JobQueue } from '../../src/application/ports/jobs/job-queue.ts';
import type { EndedJobs, JobFilter, JobStore, LogPart } from '../../src/application/ports/jobs/job-store.ts';
import { serverNotFound } from '../../src/domain/access/actor.ts';
import { DAY, type Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { waitsForPerson } from '../../src/domain/jobs/approval.ts';
import {
  canBeTakenUp,
  isActive,
  isCancellable,
  type Job,
  JobAlreadyActive,
  jobNotCancellable,
  jobNotFound,
  leaseLost,
  type NewJob,
  planUsed,
  waitingFor,
  workerLost,
} from '../../src/domain/jobs/job.ts';
import { checkLogPart, LOG_LIMITS, type LogLimits, latestLines } from '../../src/domain/jobs/job-log.ts';
import type { JobOrigin } from '../../src/domain/jobs/job-origin.ts';
import {
  CANCELLED_WAITING,
  checkResult,
  shortCurrent,
  shortDetail,
  shortSummary,
} from '../../src/domain/jobs/job-text.ts';
import { lanesCollide, mustWaitFor } from '../../src/domain/jobs/job-types.ts';
import { checkRequest, withdrawRequest, writeRequest } from './in-memory-approval-store.ts';
import { InMemoryJobLog } from './in-memory-job-log.ts';
import { originTeller } from './in-memory-origins.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

/** The queue's data about a job beyond what a reader sees. */
interface Hold {
  readonly log: InMemoryJobLog;
  owner: string | null;
  fence: number;
  leaseUntil: Instant;
  runMarker: string | null;
}

/** Both job ports in memory. Every method does all of its work in one step, so nothing can come between. */
export class InMemoryJobs implements JobStore, JobQueue {
  readonly #world: InMemoryWorld;
  readonly #logLimits: LogLimits;
  readonly #holds = new Map<number, Hold>();

  constructor(world = new InMemoryWorld(), logLimits = LOG_LIMITS) {
    this.#world = world;
    this.#logLimits = logLimits;
  }

  async enqueue(asked: NewJob, record: (job: Job) => ChangeRecord, origin?: JobOrigin): Promise<Job> {
    const { serverId, lane, status } = asked;
    if (!this.#world.servers.has(serverId)) throw serverNotFound(serverId);
    const holder = isActive(status)
      ? this.#jobs().find(
          (job) => job.serverId === serverId && isActive(job.status) && lanesCollide(job.lane, lane),
        )
      : undefined;
    if (holder) throw new JobAlreadyActive(holder);
    const { planId } = asked.params;
    if (planId !== undefined && this.#jobs().some(({ params }) => params.planId === planId)) {
      throw planUsed(planId);
    }
    const { approval, ...plain } = asked;
    const job: Job = {
      ...plain,
      id: this.#world.nextId('jobs'),
      startedAt: null,
      finishedAt: null,
      current: approval ? waitsForPerson(approval.expiresAt) : null,
      percent: null,
      summary: null,
      error: null,
      result: null,
      logTail: [],
      cancelRequestedAt: null,
    };
    if (approval) checkRequest(this.#world, approval, job);
    const log = new InMemoryJobLog(this.#logLimits);
    const tell = origin && originTeller(this.#world, origin);
    this.#change(job, record);
    tell?.({ jobId: job.id });
    if (approval) {
      const { jobType, serverName: subject, createdAt } = job;
      const of = { jobId: job.id, batchId: null, serverId, jobType, subject, createdAt };
      writeRequest(this.#world, approval, of);
    }
    this.#holds.set(job.id, { log, owner: null, fence: 0, leaseUntil: 0, runMarker: null });
    return job;
  }

  async find(id: number): Promise<Job | null> {
    return this.#world.jobs.get(id) ?? null;
  }

  async list(filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    const newestFirst = this.#matching(filter).toReversed();
    return pageOf(
      newestFirst.map((job) => ({ ...job, result: null })),
      page,
    );
  }

  async endedPerDay(from: Instant, until: Instant): Promise<readonly EndedJobs[]> {
    const counted = new Map<string, EndedJobs>();
    for (const { status, jobType, finishedAt } of this.#world.jobs.values()) {
      if (finishedAt === null || finishedAt < from || finishedAt >= until) continue;
      if (status !== 'success' && status !== 'failed') continue;
      const day = finishedAt - (finishedAt % DAY);
      const key = `${day} ${jobType} ${status}`;
      counted.set(key, { day, jobType, status, jobs: (counted.get(key)?.jobs ?? 0) + 1 });
    }
    return [...counted.values()];
  }

  async countActive(filter: Pick<JobFilter, 'serverIds'>): Promise<number> {
    return this.#matching({ ...filter, activeOnly: true }).length;
  }

  async tail(id: number, lines: number): Promise<readonly string[]> {
    return this.#holdOf(id).log.tail(lines);
  }

  async readLog(id: number, after: number): Promise<LogPart> {
    return this.#holdOf(id).log.read(after);
  }

  async requestCancel(id: number, at: Instant, record: (job: Job) => ChangeRecord): Promise<Job> {
    const { runMarker } = this.#holdOf(id);
    const job = this.#job(id);
    if (!isCancellable(job)) throw jobNotCancellable(job);
    const asked = { ...job, cancelRequestedAt: at };
    const after: Job =
      job.status === 'running' || runMarker !== null
        ? asked
        : { ...asked, status: 'cancelled', current: null, summary: CANCELLED_WAITING, finishedAt: at };
    const changed = this.#change(after, record);
    if (job.status === 'awaiting_approval') withdrawRequest(this.#world, { jobId: id }, at);
    return changed;
  }

  async claim(request: Parameters<JobQueue['claim']>[0]): Promise<readonly Claim[]> {
    const claims: Claim[] = [];
    for (const job of this.#jobs().filter(({ status }) => status === 'pending')) {
      if (claims.length >= request.limit) break;
      const blocker = this.#jobs().find(
        (other) =>
          other.status === 'running' && other.serverId === job.serverId && mustWaitFor(job.lane, other.lane),
      );
      if (blocker) this.#put({ ...job, current: waitingFor(blocker) });
      else claims.push(this.#claim(job, request));
    }
    return claims;
  }

  async heartbeat(claim: Claim, leaseMs: number): Promise<{ cancelRequested: boolean }> {
    this.#held(claim).leaseUntil = this.#world.now() + leaseMs;
    return { cancelRequested: this.#job(claim.job.id).cancelRequestedAt !== null };
  }

  async appendLog(claim: Claim, text: string, _at: Instant, runMarker?: string): Promise<void> {
    checkLogPart(text);
    const hold = this.#held(claim);
    if (runMarker !== undefined) hold.runMarker = runMarker;
    if (text === '') return;
    hold.log.append(text);
    const job = this.#job(claim.job.id);
    this.#put({ ...job, logTail: latestLines(job.logTail, text) });
  }

  async progress(
    claim: Claim,
    { current, percent }: { current: string; percent: number | null },
  ): Promise<void> {
    this.#held(claim);
    this.#put({ ...this.#job(claim.job.id), current: shortCurrent(current), percent });
  }

  async mark(claim: Claim, runMarker: string): Promise<void> {
    this.#held(claim).runMarker = runMarker;
  }

  async finish(
    claim: Claim,
    outcome: JobOutcome,
    at: Instant,
    record: (job: Job) => ChangeRecord,
  ): Promise<Job> {
    checkResult(outcome.result);
    const { status, result, facts, log = '' } = outcome;
    checkLogPart(log);
    const hold = this.#held(claim);
    const error = outcome.error && { code: outcome.error.code, detail: shortDetail(outcome.error.detail) };
    const summary = shortSummary(outcome.summary);
    const job = this.#job(claim.job.id);
    const logTail = log === '' ? job.logTail : latestLines(job.logTail, log);
    const ended = this.#change(
      { ...job, status, current: null, summary, error, result, finishedAt: at, logTail },
      record,
    );
    if (log !== '') hold.log.append(log);
    const server = this.#world.servers.get(ended.serverId);
    if (server && facts)
      this.#world.servers.set(server.id, { ...server, facts: { ...server.facts, ...facts } });
    return ended;
  }

  async giveBack(claim: Claim): Promise<void> {
    this.#held(claim);
    this.#requeue(this.#job(claim.job.id));
  }

  async sweep(request: Parameters<JobQueue['sweep']>[0]): Promise<readonly Job[]> {
    const lost = this.#jobs().filter((job) => {
      const { owner, leaseUntil } = this.#holdOf(job.id);
      const isDead = owner !== null && request.deadOwners.includes(owner);
      return job.status === 'running' && (isDead || leaseUntil < this.#world.now());
    });
    const ended: Job[] = [];
    for (const job of lost.slice(0, request.limit)) {
      const { runMarker, fence } = this.#holdOf(job.id);
      if (canBeTakenUp(runMarker, fence)) {
        this.#requeue(job);
        continue;
      }
      const error = workerLost(runMarker, fence);
      const failed: Job = { ...job, status: 'failed', current: null, summary: error.detail, error };
      ended.push(this.#change({ ...failed, finishedAt: request.at }, request.record));
    }
    return ended;
  }

  /** Oldest first. */
  #jobs(): Job[] {
    return [...this.#world.jobs.values()];
  }

  #matching(filter: JobFilter): Job[] {
    return this.#jobs().filter(
      (job) =>
        (filter.serverId === undefined || job.serverId === filter.serverId) &&
        (filter.ids?.includes(job.id) ?? true) &&
        (filter.serverIds?.includes(job.serverId) ?? true) &&
        (filter.status === undefined || job.status === filter.status) &&
        (filter.jobType === undefined || job.jobType === filter.jobType) &&
        (!filter.activeOnly || isActive(job.status)) &&
        (filter.requestedBy === undefined || job.requestedBy === filter.requestedBy) &&
        (filter.scheduled === undefined || job.scheduled === filter.scheduled) &&
        job.createdAt >= (filter.since ?? 0) &&
        job.createdAt < (filter.before ?? Number.POSITIVE_INFINITY),
    );
  }

  #job(id: number): Job {
    const job = this.#world.jobs.get(id);
    if (!job) throw jobNotFound(id);
    return job;
  }

  #holdOf(id: number): Hold {
    const hold = this.#holds.get(id);
    if (!hold) throw jobNotFound(id);
    return hold;
  }

  #held({ job, owner, fence }: Claim): Hold {
    const hold = this.#holds.get(job.id);
    const runs = this.#world.jobs.get(job.id)?.status === 'running';
    if (!hold || !runs || hold.owner !== owner || hold.fence !== fence) throw leaseLost(job.id);
    return hold;
  }

  #claim(job: Job, request: Parameters<JobQueue['claim']>[0]): Claim {
    const { owner, leaseMs, at, record } = request;
    const startedAt = job.startedAt ?? Math.max(at, job.createdAt);
    const running = this.#change(
      { ...job, status: 'running', startedAt, current: null, percent: null },
      record,
    );
    const hold = this.#holdOf(job.id);
    Object.assign(hold, { owner, fence: hold.fence + 1, leaseUntil: this.#world.now() + leaseMs });
    return { job: running, owner, fence: hold.fence, runMarker: hold.runMarker };
  }

  #requeue(job: Job): void {
    this.#holdOf(job.id).owner = null;
    this.#put({ ...job, status: 'pending', current: null, percent: null });
  }

  /** The audit record first: if it fails, nothing has changed. */
  #change(after: Job, record: (job: Job) => ChangeRecord): Job {
    const left = record(after);
    this.#world.record.write(left);
    this.#put(after);
    return after;
  }

  #put(job: Job): void {
    this.#world.jobs.set(job.id, job);
  }
}
