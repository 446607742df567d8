import type { Actor, Extent } from '../../domain/access/actor.ts';
import type { Batch, BatchMember } from '../../domain/automation/batch.ts';
import type { ApprovalOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { type Approval, type ApprovalState, approvalNotFound } from '../../domain/jobs/approval.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { isShownFirst } from '../../domain/jobs/job-types.ts';
import type { ChangePreview } from '../../domain/jobs/requested-change.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { ApprovalStore } from '../ports/jobs/approval-store.ts';
import type { ApprovalRules, ApprovalStanding } from './approval-rules.ts';
import { changeContents } from './change-contents.ts';

/** How many hosts of a batch the reviewer sees. */
const HOSTS_SHOWN = 100;

const PLAN_LINES = 200;

export interface ApprovalQuery extends PageRequest {
  readonly state?: ApprovalState | undefined;
  readonly order?: ApprovalOrder | undefined;
}

/** A request that waits, and its dry run. */
export interface QueuedApproval {
  readonly approval: Approval;
  readonly plan: Job | null;
}

/** How many waiting requests the queue shows; the oldest come first, so the others move up. */
const MAX_QUEUE = 50;

/** Requests for approval, newest first. For users: a token sees its own with `GetOwnApproval`. */
export class ListApprovals extends UseCase<'approvals' | 'jobs.find'> {
  async execute(actor: Actor, { state, order, limit, offset }: ApprovalQuery): Promise<Page<Approval>> {
    actor.requireRole('viewer');
    const filter = { serverIds: visibleIds(actor), ...(state === undefined ? {} : { state }) };
    return this.deps.approvals.list(filter, { limit, offset }, order);
  }

  /** Those that wait, oldest first. */
  async queue(actor: Actor): Promise<Page<QueuedApproval>> {
    actor.requireRole('viewer');
    const filter = { state: 'waiting', serverIds: visibleIds(actor) } as const;
    const page = { limit: MAX_QUEUE, offset: 0 };
    const newest = await this.deps.approvals.list(filter, page);
    const offset = Math.max(0, newest.total - MAX_QUEUE);
    const { items } = offset === 0 ? newest : await this.deps.approvals.list(filter, { ...page, offset });
    const queued: QueuedApproval[] = [];
    for (const approval of items.toSorted(
      (one, other) => one.createdAt - other.createdAt || one.id - other.id,
    )) {
      const { planJobId } = approval;
      queued.push({ approval, plan: planJobId === null ? null : await this.deps.jobs.find(planJobId) });
    }
    return { ...page, items: queued, total: newest.total };
  }

  /** How many are in each state; states without a request are left out. */
  async counts(actor: Actor): Promise<ReadonlyMap<ApprovalState, number>> {
    actor.requireRole('viewer');
    return this.deps.approvals.countByState(visibleIds(actor));
  }

  /** How many wait. */
  async countWaiting(actor: Actor): Promise<number> {
    actor.requireRole('viewer');
    return this.deps.approvals.countWaiting(visibleIds(actor));
  }
}

/** A request with everything that a reviewer needs. */
export interface ApprovalDetail {
  readonly approval: Approval;
  readonly job: Job | null;
  /** The dry run, as far as it is. */
  readonly plan: Job | null;
  /** The last lines of its log, which list what would change. */
  readonly planLog: readonly string[];
  readonly batch: Batch | null;
  readonly hosts: Page<BatchMember> | null;
  /** Of a change that waits; contents of files are only for those who may decide. */
  readonly preview: ChangePreview | null;
  readonly standing: ApprovalStanding;
}

export class GetApproval extends UseCase<
  'approvals' | 'jobs' | 'batches' | 'box',
  { readonly approvalRules: ApprovalRules }
> {
  /** Throws `role_missing`, `approval_not_found`. */
  async execute(actor: Actor, id: number): Promise<ApprovalDetail> {
    actor.requireRole('viewer');
    const approval = await visibleApproval(this.deps.approvals, actor, id);
    const { jobId, batchId, planJobId } = approval;
    const job = jobId === null ? null : await this.deps.jobs.find(jobId);
    return {
      approval,
      job,
      plan: planJobId === null ? null : await this.deps.jobs.find(planJobId),
      planLog: planJobId === null ? [] : await this.deps.jobs.tail(planJobId, PLAN_LINES),
      batch: batchId === null ? null : await this.deps.batches.find(batchId),
      hosts:
        batchId === null
          ? null
          : await this.deps.batches.members(batchId, {}, { limit: HOSTS_SHOWN, offset: 0 }),
      preview: approval.change === null ? null : await this.#preview(actor, approval),
      standing: await this.deps.approvalRules.standing(actor, approval, planOf(approval, job)),
    };
  }

  async #preview(actor: Actor, approval: Approval): Promise<ChangePreview | null> {
    const preview = (await changeContents(this.deps, approval.id))?.preview ?? null;
    return preview === null || actor.hasRole('operator', extentOf(approval))
      ? preview
      : { ...preview, diff: null };
  }

  /** Of a job; null if it needed none. */
  async ofJob(actor: Actor, jobId: number): Promise<Approval | null> {
    actor.requireRole('viewer');
    const approval = await this.deps.approvals.ofJob(jobId);
    return approval !== null && maySee(actor, approval) ? approval : null;
  }
}

/** Where the rights of those who decide have to hold. */
export const extentOf = ({ serverId }: Pick<Approval, 'serverId'>): Extent => serverId ?? 'all servers';

/** Requests for batches and the like may include any server. */
const maySee = (actor: Actor, { serverId }: Approval): boolean =>
  serverId === null ? actor.serverIds === null : actor.maySee(serverId);

/** The request, if it is there and the actor may see its server; else `approval_not_found` either way. */
export async function visibleApproval(
  approvals: Pick<ApprovalStore, 'find'>,
  actor: Actor,
  id: number,
): Promise<Approval> {
  const approval = await approvals.find(id);
  if (!approval || !maySee(actor, approval)) throw approvalNotFound(id);
  return approval;
}

/** The plan that an approval is for. */
const planOf = ({ planJobId }: Approval, job: Job | null): number | null =>
  job === null ? null : isShownFirst(job.jobType, job.params) ? planJobId : (job.params.planId ?? null);

/** A request for its requester: how it stands, without what only reviewers see. */
export class GetOwnApproval extends UseCase<'approvals'> {
  /** Throws `approval_not_found` also for requests of others, and for servers that the caller may no longer see. */
  async execute(actor: Actor, id: number): Promise<Approval> {
    actor.require('read');
    const approval = await this.deps.approvals.find(id);
    if (!approval || !isOwn(actor, approval)) throw approvalNotFound(id);
    return approval;
  }

  /** The latest for this server, newest first. Tokens that need no approval have none. */
  async ofServer(actor: Actor, serverId: number, limit: number): Promise<readonly Approval[]> {
    actor.require('read');
    actor.requireServer(serverId);
    const { kind, id, requireApproval } = actor;
    if (!requireApproval) return NO_REQUESTS;
    const page = { limit, offset: 0, uncounted: true } as const;
    return (await this.deps.approvals.list({ requester: { kind, id }, serverId }, page)).items;
  }
}

/** Always the same, so that what is rendered with it is kept. */
const NO_REQUESTS: readonly Approval[] = [];

const isOwn = (actor: Actor, { requester: { kind, id }, serverId }: Approval): boolean =>
  kind === actor.kind && id === actor.id && (serverId === null || actor.maySee(serverId));
