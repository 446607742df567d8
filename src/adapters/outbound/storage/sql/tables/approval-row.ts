import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { ApprovalTerms } from '../../../../../domain/access/requester.ts';
import type { Approval, ApprovalState } from '../../../../../domain/jobs/approval.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { columns, int, named, oneOf, orNull, type Row, shortText, text } from './columns.ts';

/** Who asked for a job or batch. */
export const requester = {
  kind: named('requester_kind', oneOf<ActorKind>()),
  id: named('requester_id', orNull(int)),
  name: named('requester_name', shortText),
  address: named('requester_address', orNull(text)),
  label: named('requested_by', shortText),
};

const APPROVALS = columns({
  id: int,
  jobId: orNull(int),
  batchId: orNull(int),
  serverId: orNull(int),
  jobType: oneOf<JobType>(),
  subject: shortText,
  requester,
  state: oneOf<ApprovalState>(),
  createdAt: int,
  expiresAt: int,
  decidedAt: orNull(int),
  decidedBy: orNull(text),
  note: orNull(text),
  planJobId: orNull(int),
});

export type ApprovalRow = Row<typeof APPROVALS>;
export const APPROVAL_COLUMNS = APPROVALS.names;
export const toApproval: (row: ApprovalRow) => Approval = APPROVALS.read;

export const newApprovalColumns = (
  terms: ApprovalTerms,
  { jobType, subject, createdAt }: Pick<Approval, 'jobType' | 'subject' | 'createdAt'>,
): object => APPROVALS.write({ ...terms, jobType, subject, createdAt, state: 'waiting' });
