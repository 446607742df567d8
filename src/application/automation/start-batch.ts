import { type Actor, serverNotFound } from '../../domain/access/actor.ts';
import { requesterOf } from '../../domain/access/requester.ts';
import { type Batch, batchBounds, type RawBounds } from '../../domain/automation/batch.ts';
import { mayPassWindows, windowsHold } from '../../domain/automation/maintenance-window.ts';
import type { Schedule, ScheduleRun } from '../../domain/automation/schedule.ts';
import { inTurn } from '../../domain/automation/update-order.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { RawSelector } from '../../domain/fleet/host-selector.ts';
import {
  type HostSelector,
  hostSelector,
  MAX_HOSTS,
  selectorText,
} from '../../domain/fleet/host-selector.ts';
import { requireConfirmedForLater } from '../../domain/fleet/own-machine.ts';
import { approvalTerms } from '../../domain/jobs/approval.ts';
import { type JobParams } from '../../domain/jobs/job.ts';
import { featureOf, type JobType, jobTitle, refuseInternal } from '../../domain/jobs/job-types.ts';
import type { RequestedParams } from '../../domain/jobs/requested-params.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { paramsOf } from '../jobs/job-params.ts';
import type { JobWakeup } from '../jobs/job-wakeup.ts';
import type { SelectedServer } from '../ports/fleet/server-selection.ts';
import { inOrderOf, memberOf, ordersBy } from './batch-members.ts';
import { visibleBatch } from './get-batch.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';

export interface BatchRequest extends RequestedParams {
  readonly selector: RawSelector;
  readonly jobType: JobType;
  readonly bounds: RawBounds;
  /** A batch of dry runs: each job applies exactly the plan of its server, or nothing. */
  readonly planBatchId?: number | undefined;
  /** Also where maintenance windows are closed; for operators only. */
  readonly outsideWindow?: boolean | undefined;
  /** Stores the reply with the batch, if the request has a key. */
  readonly keep?: KeepReply<Batch> | undefined;
}

/** The run of a schedule that a batch is for. */
export interface BatchForRun {
  readonly schedule: Schedule;
  readonly run: ScheduleRun;
}

interface Deps {
  readonly gate: MaintenanceGate;
  readonly refusals: RefusalAuditor;
  readonly wakeup: JobWakeup;
}

/** Asks for a job on each of many servers. Which servers these are is decided here, once. */
export class StartBatch extends UseCase<
  'selection' | 'batches' | 'runners' | 'approvalMs' | 'clock' | 'policies.list',
  Deps
> {
  /**
   * Returns the batch before any of its jobs is started; it may be `awaiting_approval`, as a whole. Hosts that cannot
   * run the job are members with a reason. Throws `server_not_found` for a missing or hidden id, and if no server is
   * selected; refuses what `TriggerJob` would refuse on every host. For a schedule a missing id is a member, too.
   */
  execute(actor: Actor, request: BatchRequest, forRun?: BatchForRun): Promise<Batch> {
    const { jobType, selector } = request;
    return this.deps.refusals.watch(
      { actor, action: 'batch.request', object: 'batches', detail: { jobType, selector } },
      async () => {
        const batch = await this.#start(actor, request, forRun);
        this.deps.wakeup.batchMoves();
        return batch;
      },
    );
  }

  async #start(actor: Actor, request: BatchRequest, forRun: BatchForRun | undefined): Promise<Batch> {
    const { jobType } = request;
    actor.require('jobs', 'any server');
    refuseInternal(actor, jobType);
    actor.requireFeature(featureOf(jobType));
    requireConfirmedForLater(actor, `job.${jobType}`);
    const outsideWindow = request.outsideWindow ?? false;
    if (outsideWindow && !mayPassWindows(actor, 'all servers')) throw windowsHold();
    const selector = hostSelector(request.selector);
    const bounds = batchBounds(request.bounds);
    this.deps.runners.require(jobType);
    const params = await this.#held(actor, request, paramsOf(jobType, request));
    const servers = await this.#select(actor, selector, forRun !== undefined);
    const closed = outsideWindow ? () => null : await this.deps.gate.check(jobType, params.dryRun);
    // Only runs of schedules follow the order of policies.
    const isOrdered = forRun !== undefined && !params.dryRun;
    const { orders, orderOfServer } = ordersBy(isOrdered ? await this.deps.policies.list() : [], jobType);
    const members = servers.map((server) => {
      const order = typeof server === 'number' ? null : orderOfServer(server);
      return memberOf(server, jobType, { closed, order, forRun });
    });

    const now = this.deps.clock.now();
    const approval = approvalTerms(actor, now, this.deps.approvalMs);
    return this.deps.batches.create(
      {
        jobType,
        params,
        selector,
        bounds,
        requester: requesterOf(actor),
        scheduled: forRun !== undefined && !forRun.run.manual,
        scheduleId: forRun?.schedule.id ?? null,
        requireApproval: actor.requireApproval,
        outsideWindow,
        orders: [...orders.values()],
        createdAt: now,
        ...(approval === null ? {} : { approval }),
      },
      inTurn(members),
      (batch) => ({
        audit: [
          auditEntry(actor, now, 'batch.request', `batch:${batch.id}`, {
            jobType,
            selector,
            params: { ...params },
            bounds,
            hosts: members.length,
            ...(outsideWindow ? { outsideWindow } : {}),
          }),
        ],
        events: approval === null ? [] : [batchNeedsApproval(actor, batch, members.length)],
        reply: request.keep?.(batch),
      }),
      forRun && { kind: 'schedule_run', runId: forRun.run.id, scheduled: !forRun.run.manual },
    );
  }

  /** Held to a batch of dry runs of the same. Throws `plan_not_found`, `batch_not_found`. */
  async #held(actor: Actor, { planBatchId, jobType }: BatchRequest, params: JobParams): Promise<JobParams> {
    if (planBatchId === undefined) return params;
    const plan = await visibleBatch(this.deps.batches, actor, planBatchId);
    if (plan.params.dryRun && plan.jobType === jobType && !params.dryRun) return { ...params, planBatchId };
    throw new DomainError('plan_not_found', `Batch ${planBatchId} was not a dry run of ${jobType}.`);
  }

  /** In the order of the given ids, else by name. A removed server has only its id. */
  async #select(
    actor: Actor,
    selector: HostSelector,
    forSchedule: boolean,
  ): Promise<readonly (SelectedServer | number)[]> {
    // Among those that the caller may see but not work with, an id is refused, and a tag has only the others.
    if (selector.by === 'ids') for (const id of selector.ids) if (actor.maySee(id)) actor.require('jobs', id);
    const { ids } = actor.reach('jobs');
    const found = await this.deps.selection.select(selector, ids && [...ids], MAX_HOSTS + 1);
    if (found.length === 0 && !forSchedule && selector.by === 'ids')
      throw serverNotFound(selector.ids[0] ?? 0);
    if (found.length === 0) {
      throw new DomainError('server_not_found', `No server matches: ${selectorText(selector)}.`);
    }
    if (found.length > MAX_HOSTS) {
      throw new InvalidInput([
        {
          path: '/selector',
          message: `More than ${MAX_HOSTS} servers match. Select fewer tags or servers.`,
        },
      ]);
    }
    const members = inOrderOf(selector, found);
    const missing = members.find((each) => typeof each === 'number');
    if (missing !== undefined && !forSchedule) throw serverNotFound(missing);
    return members;
  }
}

const batchNeedsApproval = (actor: Actor, batch: Batch, hosts: number): DomainEvent => ({
  type: 'approval.requested',
  at: batch.createdAt,
  severity: 'warning',
  title: `${jobTitle(batch.jobType)} on ${hosts} servers waits for approval`,
  message: `${actor.label} requests “${jobTitle(batch.jobType)}” on ${hosts} servers (batch ${batch.id}).`,
  serverId: null,
  jobId: null,
});
