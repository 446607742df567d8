import type { Actor } from '../../domain/access/actor.ts';
import { heldFromSchedules, isPolicyType, orderOf, policyOf } from '../../domain/automation/patch-policy.ts';
import { groupUsesOf } from '../../domain/automation/update-order.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { approvalTerms } from '../../domain/jobs/approval.ts';
import { type GroupUse, type Job, type JobParams, parseReason, requestJob } from '../../domain/jobs/job.ts';
import type { JobOrigin } from '../../domain/jobs/job-origin.ts';
import { isShownFirst, type JobType, jobOn, jobTitle } from '../../domain/jobs/job-types.ts';
import type { ChangePreview } from '../../domain/jobs/requested-change.ts';
import type { RequestedParams } from '../../domain/jobs/requested-params.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { UseCase } from '../base/use-case.ts';
import type { TemplateOrders, TemplateRequest } from '../compose/template-orders.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { ApprovalPlans } from './approval-plans.ts';
import { JobAdmission } from './job-admission.ts';
import { paramsOf } from './job-params.ts';
import { checkPlan } from './job-plans.ts';
import type { JobWakeup } from './job-wakeup.ts';

export interface JobRequest extends RequestedParams, TemplateRequest {
  readonly serverId: number;
  readonly jobType: JobType;
  /** Overrides closed maintenance windows; for operators only. */
  readonly outsideWindow?: boolean | undefined;
  /** Why the job is wanted: for the reviewer and the job's history. */
  readonly reason?: string | null | undefined;
  /** Stores the reply with the job, if the request has a key. */
  readonly keep?: KeepReply<Job> | undefined;
}

/** How many lines of a dry run's log are shown; its last lines list what would change. */
const PLAN_LINES = 200;

interface Deps {
  readonly orders: TemplateOrders;
  readonly gate: MaintenanceGate;
  readonly plans: ApprovalPlans;
  readonly wakeup: JobWakeup;
  readonly refusals: RefusalAuditor;
}

/** Requests a job on a server. Every interface that starts jobs uses this. */
export class TriggerJob extends UseCase<
  'servers' | 'sources' | 'jobs' | 'runners' | 'approvalMs' | 'clock' | 'policies.list',
  Deps
> {
  readonly #admission = new JobAdmission(this.deps);

  /**
   * Returns the job as `pending` (or `awaiting_approval`). Refuses in this order: capability, feature scope, server,
   * host flag, maintenance windows, patch policy, parameters, plan, and last `JobAlreadyActive`, which carries the job that holds
   * the lane. `origin`: the schedule or batch that the job belongs to; throws `lease_lost` if that no longer needs
   * it.
   */
  execute(actor: Actor, request: JobRequest, origin?: JobOrigin): Promise<Job> {
    return this.deps.refusals.watch(
      {
        actor,
        action: 'job.request',
        object: `server:${request.serverId}`,
        detail: { jobType: request.jobType },
      },
      () => this.#request(actor, request, origin),
    );
  }

  /**
   * What a job would do, after all checks of the request but that of its lane. Throws `plan_not_found` if it changes something
   * and has no plan: there is nothing to show then.
   */
  async preview(actor: Actor, request: JobRequest): Promise<ChangePreview> {
    const { serverId, jobType, planId, dryRun = false } = request;
    const wanted = { serverId, jobType, dryRun, outsideWindow: false };
    const server = await this.#admission.check(actor, wanted);
    const params = paramsOf(jobType, request);
    await this.#admission.checkSources(server, jobType, params.sourceFilter);
    const shown = { serverId, subject: server.name, facts: [] };
    if (planId === undefined) {
      if (isShownFirst(jobType, { dryRun })) throw planMissing();
      const what = params.sourceFilter === null ? '' : ` Only ${params.sourceFilter}.`;
      const how = dryRun ? 'A dry run: it reports what would change.' : 'It has no plan, and starts at once.';
      const summary = `${how}${what}`;
      return { ...shown, summary, diff: null, state: JSON.stringify(params) };
    }
    const plan = await this.deps.jobs.find(planId);
    checkPlan(plan, { serverId, jobType, params }, this.deps.clock.now());
    const lines = await this.deps.jobs.tail(planId, PLAN_LINES);
    return {
      ...shown,
      summary: `Exactly the plan of dry run ${planId}: ${plan?.summary ?? ''}`,
      diff: lines.join('\n'),
      state: JSON.stringify([planId, params, plan?.result?.['digest'] ?? null]),
    };
  }

  async #request(actor: Actor, request: JobRequest, origin: JobOrigin | undefined): Promise<Job> {
    const { serverId, jobType, dryRun = false, outsideWindow = false } = request;
    const server = await this.#admission.check(actor, { serverId, jobType, dryRun, outsideWindow });
    const follows = isPolicyType(jobType) && !dryRun;
    const policy = follows ? policyOf(await this.deps.policies.list(), server) : null;
    const refusal = origin?.scheduled ? heldFromSchedules(policy, server, jobType) : null;
    if (refusal) throw refusal;
    const order = orderOf(policy, jobType);
    const groups = order === null ? [] : groupUsesOf(order, server.tags, origin !== undefined);
    const reason = parseReason(request.reason);
    const params = await this.deps.orders.place(
      { server, jobType: request.jobType },
      { ...paramsOf(request.jobType, request), ...(outsideWindow ? { outsideWindow } : {}) },
      request,
    );
    if (params.restore === undefined)
      await this.#admission.checkSources(server, jobType, params.sourceFilter);
    const job = await this.#enqueue(actor, { server, request, params, reason, groups }, origin).catch(
      async (error: unknown) => {
        // After a database failure the job may exist nevertheless, and then needs them.
        if (!isDomainError(error, 'database_unavailable')) await this.deps.orders.withdraw(params);
        throw error;
      },
    );
    if (job.status === 'awaiting_approval') await this.deps.plans.begin(job);
    return job;
  }

  async #enqueue(
    actor: Actor,
    {
      server,
      request,
      params,
      reason,
      groups,
    }: {
      readonly server: Server;
      readonly request: JobRequest;
      readonly params: JobParams;
      readonly reason: string | null;
      readonly groups: readonly GroupUse[];
    },
    origin: JobOrigin | undefined,
  ): Promise<Job> {
    const now = this.deps.clock.now();
    if (params.planId !== undefined) {
      const plan = await this.deps.jobs.find(params.planId);
      checkPlan(plan, { serverId: server.id, jobType: request.jobType, params }, now);
    }
    const job = await this.deps.jobs.enqueue(
      requestJob({
        server,
        type: request.jobType,
        params,
        requestedBy: actor.label,
        requester: { kind: actor.kind, id: actor.id },
        reason,
        scheduled: origin?.scheduled ?? false,
        groups,
        approval: approvalTerms(actor, now, this.deps.approvalMs),
        at: now,
      }),
      (queued) => ({
        audit: [
          auditEntry(actor, now, 'job.request', `job:${queued.id}`, {
            serverId: server.id,
            jobType: queued.jobType,
            params: { ...params },
            ...(reason === null ? {} : { reason }),
            ...(params.outsideWindow ? { outsideWindow: true } : {}),
          }),
        ],
        events: queued.status === 'awaiting_approval' ? [approvalRequested(actor, server, queued)] : [],
        reply: request.keep?.(queued),
      }),
      origin,
    );
    this.deps.wakeup.jobWaits();
    return job;
  }
}

const planMissing = (): DomainError =>
  new DomainError(
    'plan_not_found',
    'The user has to confirm the plan of this job: call it with dry_run, wait for its end with get_job, then pass the plan_id of its result.',
  );

const approvalRequested = (actor: Actor, server: Server, job: Job): DomainEvent => ({
  type: 'approval.requested',
  at: job.createdAt,
  severity: 'warning',
  title: `${jobOn(job.jobType, server.name)} waits for approval`,
  message: `${actor.label} requests “${jobTitle(job.jobType)}” on ${server.name}.${job.reason === null ? '' : ` Reason given: ${job.reason}`}`,
  serverId: server.id,
  jobId: job.id,
});
