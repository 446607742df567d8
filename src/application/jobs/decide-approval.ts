import type { Actor } from '../../domain/access/actor.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import {
  type Approval,
  approvalDecided,
  approvalNotFound,
  MAX_NOTE_LENGTH,
  refusedBy,
} from '../../domain/jobs/approval.ts';
import { type Job, jobNotFound } from '../../domain/jobs/job.ts';
import { featureOf, isShownFirst } from '../../domain/jobs/job-types.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { SourceStore } from '../ports/backups/source-store.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import type { ApprovalStore, DecisionResult } from '../ports/jobs/approval-store.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { ChangeContents } from './change-contents.ts';
import { JobAdmission } from './job-admission.ts';
import { jobEvent } from './job-event.ts';
import { checkPlan } from './job-plans.ts';
import type { JobWakeup } from './job-wakeup.ts';
import type { MakeChange } from './make-change.ts';
import type { RequesterActors } from './requester-actors.ts';
import type { JobRunners } from './runner.ts';

export interface ApproveTerms {
  readonly note?: string | undefined;
  /** The dry run that the reviewer saw; null: none was shown; absent: the request's. */
  readonly planId?: number | null | undefined;
  /** The job may do whatever is needed when it runs. */
  readonly withoutPlan?: boolean | undefined;
}

interface ApproveRequestDeps {
  readonly approvals: ApprovalStore;
  readonly jobs: JobStore;
  readonly servers: ServerStore;
  readonly sources: SourceStore;
  readonly runners: JobRunners;
  readonly gate: MaintenanceGate;
  readonly requesters: RequesterActors;
  readonly makeChange: MakeChange;
  readonly clock: Clock;
  readonly wakeup: JobWakeup;
  readonly refusals: RefusalAuditor;
}

/** Approves a job, a batch or another change. Never for a token. */
export class ApproveRequest {
  readonly #deps: ApproveRequestDeps;
  readonly #admission: JobAdmission;

  constructor(deps: ApproveRequestDeps) {
    this.#deps = deps;
    this.#admission = new JobAdmission(deps);
  }

  /**
   * Everything is checked again as of now; if something fails the request keeps waiting. Throws `role_missing`,
   * `approval_not_found`, `approval_decided`, `approval_void` (the requester lost the rights), what `TriggerJob`
   * throws, for a job that changes something `plan_not_found`, `plan_expired`, and for another change `plan_drifted`
   * and what that throws. A change is made here, once; how it ended is in its request.
   */
  execute(actor: Actor, id: number, terms: ApproveTerms): Promise<Approval> {
    return this.#deps.refusals.watch(
      { actor, action: 'approval.approve', object: `approval:${id}` },
      async () => {
        actor.requireRole('operator');
        const note = noteOf(terms.note);
        const approval = await waitingApproval(this.#deps.approvals, id);
        const asker = await this.#asker(approval);
        const contents: ChangeContents | null =
          approval.change === null ? null : await this.#deps.makeChange.prepare(asker, approval);
        const planId = contents === null ? await this.#check(asker, approval, terms) : null;
        const at = this.#deps.clock.now();
        const decided = await this.#deps.approvals.approve(
          id,
          { at, by: actor.label, note, planId },
          ({ approval: { jobId, batchId, serverId, change, requester } }) => ({
            audit: [
              auditEntry(actor, at, 'approval.approve', `approval:${id}`, {
                ...subjectOf({ jobId, batchId, serverId, change }),
                requestedBy: requester.label,
                planId,
                ...(note === null ? {} : { note }),
              }),
            ],
          }),
        );
        if (contents !== null) return this.#deps.makeChange.make(asker, decided.approval, contents);
        this.#deps.wakeup.jobWaits();
        this.#deps.wakeup.batchMoves();
        return decided.approval;
      },
    );
  }

  async #asker({ requester }: Approval): Promise<Actor> {
    const asker = await this.#deps.requesters.find(requester, { requireApproval: true, approved: true });
    if (!asker) {
      throw new DomainError(
        'approval_void',
        `${requester.label} may no longer do this: it was revoked or has expired. Decline this request.`,
      );
    }
    return asker;
  }

  async #check(asker: Actor, approval: Approval, terms: ApproveTerms): Promise<number | null> {
    const { jobId, jobType } = approval;
    if (jobId === null || jobType === null) {
      asker.require('jobs');
      if (jobType !== null) asker.requireFeature(featureOf(jobType));
      return null;
    }
    const job = await this.#deps.jobs.find(jobId);
    if (!job) throw jobNotFound(jobId);
    const { serverId, params } = job;
    const wanted = { serverId, jobType, dryRun: params.dryRun, outsideWindow: false };
    const server = await this.#admission.check(asker, wanted);
    await this.#admission.checkSources(server, jobType, params.sourceFilter);
    return this.#plan(job, approval, terms);
  }

  async #plan(job: Job, approval: Approval, terms: ApproveTerms): Promise<number | null> {
    const { serverId, jobType, params } = job;
    if (terms.withoutPlan) return null;
    const isNeeded = isShownFirst(jobType, params);
    const shown = terms.planId === undefined ? approval.planJobId : terms.planId;
    const planId = isNeeded ? shown : (params.planId ?? null);
    if (planId === null) {
      if (!isNeeded) return null;
      throw new DomainError(
        'plan_not_found',
        'This job has no dry run yet. Do one and review it, or approve without one.',
      );
    }
    const plan = await this.#deps.jobs.find(planId);
    checkPlan(plan, { serverId, jobType, params: { ...params, planId } }, this.#deps.clock.now());
    return planId;
  }
}

interface RefuseRequestDeps {
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  readonly refusals: RefusalAuditor;
}

/** Declines a request, with a reason. */
export class RefuseRequest {
  readonly #deps: RefuseRequestDeps;

  constructor(deps: RefuseRequestDeps) {
    this.#deps = deps;
  }

  /** Throws `role_missing`, `approval_not_found`, `approval_decided`. */
  execute(actor: Actor, id: number, terms: { readonly note?: string | undefined }): Promise<Approval> {
    return this.#deps.refusals.watch(
      { actor, action: 'approval.refuse', object: `approval:${id}` },
      async () => {
        actor.requireRole('operator');
        const note = noteOf(terms.note);
        const waiting = await waitingApproval(this.#deps.approvals, id);
        const at = this.#deps.clock.now();
        const reason = refusedBy(actor.label, note);
        const { approval } = await this.#deps.approvals.end(
          id,
          { state: 'refused', at, by: actor.label, note, reason },
          ({ job }) => ({
            audit: [
              auditEntry(actor, at, 'approval.refuse', `approval:${id}`, {
                ...subjectOf(waiting),
                requestedBy: waiting.requester.label,
                ...(note === null ? {} : { note }),
              }),
            ],
            events: job ? [jobEvent(job, at)] : [],
          }),
        );
        return approval;
      },
    );
  }
}

export const subjectOf = ({
  jobId,
  batchId,
  serverId,
  change,
}: Pick<DecisionResult['approval'], 'jobId' | 'batchId' | 'serverId' | 'change'>): object => ({
  ...(jobId === null ? {} : { jobId }),
  ...(batchId === null ? {} : { batchId }),
  ...(serverId === null ? {} : { serverId }),
  ...(change === null ? {} : { kind: change.kind, summary: change.summary }),
});

async function waitingApproval(approvals: ApprovalStore, id: number): Promise<Approval> {
  const approval = await approvals.find(id);
  if (!approval) throw approvalNotFound(id);
  if (approval.state !== 'waiting') throw approvalDecided(approval);
  return approval;
}

function noteOf(raw: string | undefined): string | null {
  const note = (raw ?? '').trim();
  if (note.length > MAX_NOTE_LENGTH) {
    throw new InvalidInput([{ path: '/note', message: `A note has at most ${MAX_NOTE_LENGTH} characters.` }]);
  }
  return note === '' ? null : note;
}
