import type { Actor } from '../../domain/access/actor.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { type Approval, approvalTitle, approversOf } from '../../domain/jobs/approval.ts';
import type { ChangeRecord } from '../ports/events/change-record.ts';
import type { DecisionResult } from '../ports/jobs/approval-store.ts';

/** What is recorded with each approval, also one that needs more. */
export function approvedRecord(
  actor: Actor,
  at: Instant,
  { approval }: DecisionResult,
  { planId, note, needed, override }: ApprovalTerms,
): ChangeRecord {
  const { id, requester, state } = approval;
  const approvers = approversOf(approval);
  const detail = {
    ...subjectOf(approval),
    requestedBy: requester.label,
    planId,
    ...(needed > 1 ? { approvers, needed, decided: state === 'approved' } : {}),
    ...(override ? { override } : {}),
    ...(note === null ? {} : { note }),
  };
  return {
    audit: [auditEntry(actor, at, 'approval.approve', `approval:${id}`, detail)],
    events: [approvalGiven(approval, approvers, { at, override })],
  };
}

interface ApprovalTerms {
  readonly planId: number | null;
  readonly note: string | null;
  readonly needed: number;
  readonly override: boolean;
}

function approvalGiven(
  approval: Approval,
  approvers: readonly string[],
  { at, override }: { readonly at: Instant; readonly override: boolean },
): DomainEvent {
  const subject = `${approvalTitle(approval)} on ${approval.subject}`;
  const waits = approval.state === 'waiting';
  const alone = override ? ' This was done at the command line, and overrides the rule for approvals.' : '';
  return {
    type: 'approval.given',
    at,
    severity: override ? 'warning' : 'info',
    title: waits ? `${subject} needs another approval` : `${subject} is approved`,
    message: `${approvers.join(', ')} approved “${approvalTitle(approval)}” on ${approval.subject}, requested by ${approval.requester.label}.${waits ? ' It waits for more users.' : alone}`,
    serverId: approval.serverId,
    jobId: approval.jobId,
  };
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
