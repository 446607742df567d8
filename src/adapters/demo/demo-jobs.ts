import { jobEvent } from '../../application/jobs/job-event.ts';
import { planResult } from '../../application/jobs/job-plans.ts';
import type { Claim } from '../../application/ports/jobs/job-queue.ts';
import { Actor } from '../../domain/access/actor.ts';
import { isDomainError } from '../../domain/base/errors.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Attempt, afterAttempt } from '../../domain/events/delivery.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type Job, requestJob } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import type { Chance } from './chance.ts';
import { type DemoEnd, endOf } from './demo-ends.ts';
import { type DemoPorts, NEVER } from './demo-ports.ts';
import { ACCEPTED } from './demo-senders.ts';

export interface DemoJobRequest {
  readonly server: Server;
  readonly type: JobType;
  readonly at: Instant;
  readonly by: string;
  readonly dryRun?: boolean;
  readonly directory?: string;
}

/** What was requested at a time of the past. */
export interface Step {
  readonly at: Instant;
  readonly run: () => Promise<unknown>;
}

/** More than any schedule starts at a time. */
const MAX_CLAIMED = 100;

/** Jobs as they were asked for, run and ended: through the same ports as real ones, at times of the past. */
export class DemoJobs {
  readonly #ports: DemoPorts;
  readonly #chance: Chance;

  constructor(ports: DemoPorts, chance: Chance) {
    this.#ports = ports;
    this.#chance = chance;
  }

  /** A user started it; the next worker continues it. */
  async begin(asked: DemoJobRequest, step: string): Promise<void> {
    const { id } = await this.ask(asked);
    for (const claim of await this.#claim(asked.at)) {
      if (claim.job.id !== id) {
        await this.#ports.queue.giveBack(claim);
        continue;
      }
      const phases = [{ name: step, startedAt: asked.at, amount: null }];
      await this.#ports.queue.progress(claim, { current: step, percent: 0, phases });
      await this.#ports.queue.mark(claim, '0');
      await this.#ports.queue.giveBack(claim);
    }
  }

  async ask({ server, type, at, by, dryRun = false, directory }: DemoJobRequest): Promise<Job> {
    const asked = requestJob({
      server,
      type,
      params: { sourceFilter: directory ?? null, service: null, osSteps: null, dryRun },
      requestedBy: by,
      scheduled: false,
      approval: null,
      at,
    });
    const about = { serverId: server.id, jobType: type };
    return this.#ports.jobs.enqueue(asked, ({ id }) => ({
      audit: [auditEntry(Actor.system(by), at, 'job.request', `job:${id}`, about)],
    }));
  }

  /** Runs waiting jobs from this time on, and advances batches, until nothing waits. */
  async workOff(from: Instant): Promise<void> {
    const { clock, advanceBatches } = this.#ports;
    for (let at = from; ; ) {
      clock.setTo(at);
      await advanceBatches.execute(NEVER);
      const claims = await this.#claim(at);
      if (claims.length === 0) break;
      let longest = 0;
      for (const claim of claims) longest = Math.max(longest, await this.#end(claim, at));
      at += longest;
    }
    await deliver(this.#ports, this.#chance);
  }

  #claim(at: Instant): Promise<readonly Claim[]> {
    const record = () => ({});
    return this.#ports.queue.claim({ owner: 'demo', leaseMs: DAY, limit: MAX_CLAIMED, at, record });
  }

  /** Returns how long it took. */
  async #end(claim: Claim, at: Instant): Promise<number> {
    const { servers, inventories, queue } = this.#ports;
    const { job } = claim;
    const server = await servers.find(job.serverId);
    const inventory = await inventories.find(job.serverId);
    const updates = (inventory?.updates ?? []).map(
      ({ name, from, to, security }): PackageChange => ({ kind: 'upgrade', name, from, to, security }),
    );
    const sources = await this.#ports.sources.ofServer(job.serverId);
    const {
      took,
      lines,
      steps = [],
      error,
      summary,
      result,
      facts,
    } = endOf(
      { job, at, isStale: isStale(server, at), updates, sources: sources.map(({ name }) => name) },
      this.#chance,
    );
    await this.#log(claim, lines, at, took);
    if (steps.length > 0) await this.#steps(claim, steps, at, took);
    const status = error === null ? 'success' : 'failed';
    const end = at + took;
    const plan = this.#planOf(job, result, end);
    const outcome = { status, summary, error, result: plan, ...(facts ? { facts } : {}) } as const;
    await queue.finish(claim, outcome, end, (ended) => ({
      events: job.params.dryRun ? [] : [jobEvent(ended, end)],
      audit: [
        auditEntry(Actor.system('worker'), end, 'job.finish', `job:${job.id}`, {
          serverId: job.serverId,
          status,
        }),
      ],
    }));
    return took;
  }

  #planOf(job: Job, result: DemoEnd['result'], at: Instant): DemoEnd['result'] {
    if (!job.params.dryRun || result === null) return result;
    return { ...result, ...planResult(job, [JSON.stringify(result)], at, this.#ports.digest) };
  }

  #steps(claim: Claim, steps: readonly string[], at: Instant, took: number): Promise<void> {
    const phases = steps.map((name, index) => ({
      name,
      startedAt: at + Math.floor((took * index) / steps.length),
      amount: null,
    }));
    return this.#ports.queue.progress(claim, { current: steps.at(-1) ?? '', percent: null, phases });
  }

  #log(claim: Claim, lines: readonly string[], at: Instant, took: number): Promise<void> {
    const stamp = (index: number): string =>
      new Date(at + Math.floor((took * index) / lines.length)).toISOString().slice(11, 19);
    const text = lines.map((line, index) => `${stamp(index)} ${line}\n`).join('');
    return this.#ports.queue.appendLog(claim, text, at + SECOND);
  }
}

/** A server with a stale backup has had no success since then, whatever was attempted. */
const isStale = (server: Server | null, at: Instant): boolean =>
  (server?.facts.lastBackupAt ?? at) < at - 2 * DAY;

/** Hands out events, as the service's loops do, to receivers that do not exist: nothing leaves the machine. */
export async function deliver(
  { clock, handOutEvents, deliveries }: DemoPorts,
  chance: Chance,
): Promise<void> {
  await handOutEvents.execute(NEVER);
  const at = clock.now();
  for (const channel of ['webhook', 'channel'] as const) {
    for (const id of await deliveries.dueTargets(channel, at)) {
      for (const due of await deliveries.due({ channel, id }, at, 100)) {
        // Only webhooks draw: the rest of the demo stays as it is, whatever channels there are.
        const attempt = channel === 'webhook' ? attemptOf(chance) : ACCEPTED;
        const outcome = afterAttempt({ channel, attempts: due.attempts }, attempt, at);
        await deliveries.settle(due, attempt, outcome, at);
      }
    }
  }
}

function attemptOf(chance: Chance): Attempt {
  const common = { durationMs: chance.between(30, 400), retryAfterMs: null };
  return chance.happens(0.9)
    ? { ...common, result: 'delivered', statusCode: 204, error: null }
    : { ...common, result: 'failed', statusCode: 503, error: 'The receiver answered 503.' };
}

/** Running jobs that visitors see without doing anything. */
const BUSY = 2;

/** Starts another job when fewer than two are active. */
export async function keepBusy({ jobs, servers }: BusyPorts, now: Instant): Promise<void> {
  const { total } = await jobs.list({ activeOnly: true }, { limit: 1, offset: 0 });
  if (total >= BUSY) return;
  const { items } = await servers.list({}, { limit: 100, offset: 0 });
  const reachable = items.filter(
    ({ facts, features }) => facts.contactFailedSince === null && features.backup && !features.docker,
  );
  const server = reachable[Math.floor(now / MINUTE) % Math.max(1, reachable.length)];
  if (!server) return;
  await jobs
    .enqueue(
      requestJob({
        server,
        type: 'backup',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: 'user:bert',
        scheduled: false,
        approval: null,
        at: now,
      }),
      () => ({}),
    )
    .catch((error: unknown) => {
      if (!isDomainError(error, 'job_already_active')) throw error;
    });
}

type BusyPorts = Pick<DemoPorts, 'jobs' | 'servers'>;
