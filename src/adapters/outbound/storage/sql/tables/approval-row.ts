import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { ApprovalTerms } from '../../../../../domain/access/requester.ts';
import type { Approval, ApprovalState } from '../../../../../domain/jobs/approval.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';

export const APPROVAL_COLUMNS = [
  'id',
  'job_id',
  'batch_id',
  'server_id',
  'job_type',
  'subject',
  'requester_kind',
  'requester_id',
  'requester_name',
  'requester_address',
  'requested_by',
  'state',
  'created_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'note',
  'plan_job_id',
] as const;

export interface ApprovalRow {
  readonly id: number;
  readonly job_id: number | null;
  readonly batch_id: number | null;
  readonly server_id: number | null;
  readonly job_type: JobType;
  readonly subject: string;
  readonly requester_kind: ActorKind;
  readonly requester_id: number | null;
  readonly requester_name: string;
  readonly requester_address: string | null;
  readonly requested_by: string;
  readonly state: ApprovalState;
  readonly created_at: number;
  readonly expires_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly note: string | null;
  readonly plan_job_id: number | null;
}

export const toApproval = (row: ApprovalRow): Approval => ({
  id: row.id,
  jobId: row.job_id,
  batchId: row.batch_id,
  serverId: row.server_id,
  jobType: row.job_type,
  subject: row.subject,
  requester: {
    kind: row.requester_kind,
    id: row.requester_id,
    name: row.requester_name,
    address: row.requester_address,
    label: row.requested_by,
  },
  state: row.state,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  note: row.note,
  planJobId: row.plan_job_id,
});

const MAX_NAME_LENGTH = 255;

export const newApprovalColumns = (
  { requester, expiresAt }: ApprovalTerms,
  of: { readonly jobType: JobType; readonly subject: string; readonly createdAt: number },
): object => ({
  job_type: of.jobType,
  subject: of.subject.slice(0, MAX_NAME_LENGTH),
  requester_kind: requester.kind,
  requester_id: requester.id,
  requester_name: requester.name.slice(0, MAX_NAME_LENGTH),
  requester_address: requester.address,
  requested_by: requester.label.slice(0, MAX_NAME_LENGTH),
  state: 'waiting',
  created_at: of.createdAt,
  expires_at: expiresAt,
});
