import type { Actor } from '../../domain/access/actor.ts';
import { needsKnownUsers, secondPersonRequired } from '../../domain/access/approval-rule.ts';
import { DomainError, InvalidInput } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Approval, approvalDecided, MAX_NOTE_LENGTH, refusedBy } from '../../domain/jobs/approval.ts';
import { type Job, jobNotFound } from '../../domain/jobs/job.ts';
import { featureOf, isShownFirst } from '../../domain/jobs/job-types.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { ApprovalStore, Approving } from '../ports/jobs/approval-store.ts';
import { approvedRecord, subjectOf } from './approval-record.ts';
import type { ApprovalRules } from './approval-rules.ts';
import type { ChangeContents } from './change-contents.ts';
import { JobAdmission } from './job-admission.ts';
import { jobEvent } from './job-event.ts';
import { checkPlan } from './job-plans.ts';
import type { JobWakeup } from './job-wakeup.ts';
import { extentOf, visibleApproval } from './list-approvals.ts';
import type { MakeChange } from './make-change.ts';
import type { RequesterActors } from './requester-actors.ts';

export interface ApproveTerms {
  readonly note?: string | undefined;
  /** The dry run that the reviewer saw; null: none was shown; absent: the request's. */
  readonly planId?: number | null | undefined;
  /** The job may do whatever is needed when it runs. */
  readonly withoutPlan?: boolean | undefined;
  /** At the command line only, with a note: decides alone, whatever the rule says. */
  readonly override?: boolean | undefined;
}

interface ApproveRequestDeps {
  readonly approvalRules: ApprovalRules;
  readonly gate: MaintenanceGate;
  readonly requesters: RequesterActors;
  readonly makeChange: MakeChange;
  readonly wakeup: JobWakeup;
  readonly refusals: RefusalAuditor;
}

/** Approves a job, a batch or another change. Never for a token. */
export class ApproveRequest extends UseCase<
  'approvals' | 'jobs' | 'servers' | 'sources' | 'runners' | 'clock',
  ApproveRequestDeps
> {
  readonly #admission = new JobAdmission(this.deps);

  /**
   * Everything is checked again as of now; if something fails the request keeps waiting. So it does if it needs the
   * approval of more users. Throws `role_missing`, `second_person_required`, `already_approved`,
   * `approval_not_found`, `approval_decided`, `approval_void` (the requester lost the rights), what `TriggerJob`
   * throws, for a job that changes something `plan_not_found`, `plan_expired`, and for another change `plan_drifted`
   * and what that throws. A change is made here, once; how it ended is in its request.
   */
  execute(actor: Actor, id: number, terms: ApproveTerms): Promise<Approval> {
    return this.deps.refusals.watch(
      { actor, action: 'approval.approve', object: `approval:${id}` },
      async () => {
        actor.requireRole('operator', 'any server');
        const note = noteOf(terms.note);
        const approval = await waitingApproval(this.deps.approvals, actor, id);
        const by = await this.#approver(actor, approval, terms, note);
        const asker = await this.#asker(approval);
        const contents: ChangeContents | null =
          approval.change === null ? null : await this.deps.makeChange.prepare(asker, approval);
        const planId = contents === null ? await this.#check(asker, approval, terms, by) : null;
        const at = this.deps.clock.now();
        const decided = await this.deps.approvals.approve(
          id,
          { at, by: actor.label, note, planId, voter: by },
          (result) => {
            const given = {
              planId,
              note,
              needed: by?.rule.approvers ?? 1,
              override: terms.override ?? false,
            };
            return approvedRecord(actor, at, result, given);
          },
        );
        if (decided.approval.state === 'waiting') return decided.approval;
        if (contents !== null) return this.deps.makeChange.make(asker, decided.approval, contents);
        this.deps.wakeup.jobWaits();
        this.deps.wakeup.batchMoves();
        return decided.approval;
      },
    );
  }

  /** Who approves by which rule; null: the command line, where anyone is root, decides alone. */
  async #approver(
    actor: Actor,
    approval: Approval,
    { override = false }: ApproveTerms,
    note: string | null,
  ): Promise<Approving['voter']> {
    if (override) {
      if (actor.kind !== 'operator')
        throw notAlone('/override', 'Only the command line can override the rule.');
      if (note === null) throw notAlone('/note', 'Say with a note why you override the rule.');
      return null;
    }
    const { rule, barred } = await this.deps.approvalRules.of(approval);
    actor.requireRole(rule.role, extentOf(approval));
    if (actor.kind === 'user' && actor.id !== null)
      return { userId: actor.id, rule, barred: rule.fourEyes ? barred : [] };
    if (!needsKnownUsers(rule)) return null;
    throw secondPersonRequired(
      'This needs the approval of users whom Drover knows: approve it in the web UI. On this machine, `--override` with a note approves it alone; the audit log and a message record that.',
    );
  }

  async #asker({ requester }: Approval): Promise<Actor> {
    const asker = await this.deps.requesters.find(requester, { requireApproval: true, approved: true });
    if (!asker) {
      throw new DomainError(
        'approval_void',
        `${requester.label} may no longer do this: it was revoked or has expired. Decline this request.`,
      );
    }
    return asker;
  }

  async #check(
    asker: Actor,
    approval: Approval,
    terms: ApproveTerms,
    by: Approving['voter'],
  ): Promise<number | null> {
    const { jobId, jobType } = approval;
    if (jobId === null || jobType === null) {
      asker.require('jobs', 'any server');
      if (jobType !== null) asker.requireFeature(featureOf(jobType));
      return null;
    }
    const job = await this.deps.jobs.find(jobId);
    if (!job) throw jobNotFound(jobId);
    const { serverId, params } = job;
    const wanted = { serverId, jobType, dryRun: params.dryRun, outsideWindow: false };
    const server = await this.#admission.check(asker, wanted);
    await this.#admission.checkSources(server, jobType, params.sourceFilter);
    return this.#plan(job, approval, terms, by);
  }

  async #plan(
    job: Job,
    approval: Approval,
    terms: ApproveTerms,
    by: Approving['voter'],
  ): Promise<number | null> {
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
    // Of the request's own dry run, Drover knows who started it.
    if (isNeeded && by?.rule.fourEyes && planId !== approval.planJobId) {
      throw new DomainError('plan_not_found', 'There is a newer dry run of this request. Review that one.');
    }
    const plan = await this.deps.jobs.find(planId);
    checkPlan(plan, { serverId, jobType, params: { ...params, planId } }, this.deps.clock.now());
    return planId;
  }
}

const notAlone = (path: string, message: string): InvalidInput => new InvalidInput([{ path, message }]);

/** Declines a request, with a reason. */
export class RefuseRequest extends UseCase<'approvals' | 'clock', { readonly refusals: RefusalAuditor }> {
  /** Throws `role_missing`, `approval_not_found`, `approval_decided`. */
  execute(actor: Actor, id: number, terms: { readonly note?: string | undefined }): Promise<Approval> {
    return this.deps.refusals.watch(
      { actor, action: 'approval.refuse', object: `approval:${id}` },
      async () => {
        actor.requireRole('operator', 'any server');
        const note = noteOf(terms.note);
        const waiting = await waitingApproval(this.deps.approvals, actor, id);
        const at = this.deps.clock.now();
        const reason = refusedBy(actor.label, note);
        const { approval } = await this.deps.approvals.end(
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

async function waitingApproval(approvals: ApprovalStore, actor: Actor, id: number): Promise<Approval> {
  const approval = await visibleApproval(approvals, actor, id);
  actor.requireRole('operator', extentOf(approval));
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
