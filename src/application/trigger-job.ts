import type { Actor } from '../domain/actor.ts';
import { auditEntry } from '../domain/audit-entry.ts';
import { selectSources } from '../domain/backup-source.ts';
import type { DomainEvent } from '../domain/event.ts';
import { switchedOff } from '../domain/host-flag.ts';
import {
  featureOf,
  type Job,
  type JobParams,
  type JobType,
  refuseInternal,
  requestJob,
} from '../domain/job.ts';
import type { JobOrigin } from '../domain/job-origin.ts';
import { mayPassWindows, windowsHold } from '../domain/maintenance-window.ts';
import type { Server } from '../domain/server.ts';
import type { RefusalAuditor } from './audit-refusals.ts';
import { existingServer } from './get-server.ts';
import type { JobWakeup } from './job-wakeup.ts';
import { paramsOf, type RequestedParams } from './jobs/job-params.ts';
import { checkPlan } from './jobs/job-plans.ts';
import type { JobRunners } from './jobs/runner.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';
import type { Clock } from './ports/clock.ts';
import type { JobStore } from './ports/job-store.ts';
import type { ServerStore } from './ports/server-store.ts';
import type { SourceStore } from './ports/source-store.ts';
import type { TemplateOrders, TemplateRequest } from './templates/template-orders.ts';

export interface JobRequest extends RequestedParams, TemplateRequest {
  readonly serverId: number;
  readonly jobType: JobType;
  /** Also where the server's maintenance windows are closed; for operators only. */
  readonly outsideWindow?: boolean | undefined;
}

/** Asks for a job on a server. Every door that starts jobs comes through here. */
export class TriggerJob {
  readonly #servers: ServerStore;
  readonly #sources: SourceStore;
  readonly #jobs: JobStore;
  readonly #runners: JobRunners;
  readonly #orders: TemplateOrders;
  readonly #gate: MaintenanceGate;
  readonly #clock: Clock;
  readonly #wakeup: JobWakeup;
  readonly #refusals: RefusalAuditor;

  constructor(deps: {
    servers: ServerStore;
    sources: SourceStore;
    jobs: JobStore;
    runners: JobRunners;
    orders: TemplateOrders;
    gate: MaintenanceGate;
    clock: Clock;
    wakeup: JobWakeup;
    refusals: RefusalAuditor;
  }) {
    this.#servers = deps.servers;
    this.#sources = deps.sources;
    this.#jobs = deps.jobs;
    this.#runners = deps.runners;
    this.#orders = deps.orders;
    this.#gate = deps.gate;
    this.#clock = deps.clock;
    this.#wakeup = deps.wakeup;
    this.#refusals = deps.refusals;
  }

  /**
   * Returns the job as `pending` (or `awaiting_approval`). Refuses in this order: capability, feature scope, server,
   * host flag, maintenance windows, parameters, plan, and last `JobAlreadyActive`, which carries the job that holds the lane.
   * `origin`: what the job is started for, where a schedule or a batch asks; throws `lease_lost` where that needs it no
   * more.
   */
  execute(actor: Actor, request: JobRequest, origin?: JobOrigin): Promise<Job> {
    return this.#refusals.watch(
      {
        actor,
        action: 'job.request',
        object: `server:${request.serverId}`,
        detail: { jobType: request.jobType },
      },
      () => this.#request(actor, request, origin),
    );
  }

  async #request(actor: Actor, request: JobRequest, origin: JobOrigin | undefined): Promise<Job> {
    actor.require('jobs');
    refuseInternal(actor, request.jobType);
    const feature = featureOf(request.jobType);
    actor.requireFeature(feature);
    const server = await existingServer(this.#servers, actor, request.serverId);
    const off = switchedOff(server, request.jobType);
    if (off) throw off;
    const outsideWindow = request.outsideWindow ?? false;
    if (outsideWindow && !mayPassWindows(actor)) throw windowsHold();
    if (!outsideWindow) await this.#gate.pass(server, request.jobType, request.dryRun ?? false);
    this.#runners.require(request.jobType);
    const params = await this.#orders.place(
      { server, jobType: request.jobType },
      paramsOf(request.jobType, request),
      request,
    );
    if (feature === 'backup' && params.restore === undefined)
      selectSources(await this.#sources.ofServer(server.id), params.sourceFilter);
    try {
      return await this.#enqueue(actor, { server, request, params, outsideWindow }, origin);
    } catch (error) {
      await this.#orders.withdraw(params);
      throw error;
    }
  }

  async #enqueue(
    actor: Actor,
    {
      server,
      request,
      params,
      outsideWindow,
    }: {
      readonly server: Server;
      readonly request: JobRequest;
      readonly params: JobParams;
      readonly outsideWindow: boolean;
    },
    origin: JobOrigin | undefined,
  ): Promise<Job> {
    const now = this.#clock.now();
    if (params.planId !== undefined) {
      const plan = await this.#jobs.find(params.planId);
      checkPlan(plan, { serverId: server.id, jobType: request.jobType, params }, now);
    }
    const job = await this.#jobs.enqueue(
      requestJob({
        server,
        type: request.jobType,
        params,
        requestedBy: actor.label,
        scheduled: origin?.scheduled ?? false,
        awaitingApproval: actor.requireApproval,
        at: now,
      }),
      (queued) => ({
        audit: [
          auditEntry(actor, now, 'job.request', `job:${queued.id}`, {
            serverId: server.id,
            jobType: queued.jobType,
            params: { ...params },
            ...(outsideWindow ? { outsideWindow } : {}),
          }),
        ],
        events: queued.status === 'awaiting_approval' ? [approvalRequested(actor, server, queued)] : [],
      }),
      origin,
    );
    this.#wakeup.jobWaits();
    return job;
  }
}

const approvalRequested = (actor: Actor, server: Server, job: Job): DomainEvent => ({
  type: 'approval.requested',
  at: job.createdAt,
  severity: 'warning',
  title: `${job.jobType} on ${server.name} waits for approval`,
  message: `${actor.label} asks for ${job.jobType} on ${server.name}.`,
  serverId: server.id,
  jobId: job.id,
});
