import { z } from 'zod';
import type { NewChangeRequest } from '../../../../../application/ports/jobs/approval-store.ts';
import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { ApprovalTerms } from '../../../../../domain/access/requester.ts';
import type { Approval, ApprovalState } from '../../../../../domain/jobs/approval.ts';
import { JOB_TYPES, type JobType } from '../../../../../domain/jobs/job-types.ts';
import type { ChangeKind, ChangeOutcome } from '../../../../../domain/jobs/requested-change.ts';
import {
  type Column,
  columns,
  int,
  listOrNull,
  named,
  nullable,
  oneOf,
  orNull,
  type Row,
  Strings,
  shortText,
  text,
} from './columns.ts';

/** Who asked for a job or batch. */
export const requester = {
  kind: named('requester_kind', oneOf<ActorKind>()),
  id: named('requester_id', orNull(int)),
  name: named('requester_name', shortText),
  address: named('requester_address', orNull(text)),
  label: named('requested_by', shortText),
};

/** For a change, the column has its kind: older replicas need a value. */
const typeOfJob: Column<JobType | null, string> = {
  read: (raw) => JOB_TYPES.find((type) => type === raw) ?? null,
  write: (type) => type ?? '',
};

const Votes = z.array(
  z.object({ userId: z.int(), label: z.string(), planId: z.int().nullable(), at: z.int() }),
);

const APPROVALS = columns({
  id: int,
  jobId: orNull(int),
  batchId: orNull(int),
  serverId: orNull(int),
  jobType: named('job_type', typeOfJob),
  change: nullable({
    kind: named('change_kind', oneOf<ChangeKind>()),
    summary: named('change_summary', text),
    basis: named('change_basis', text),
    outcome: named('change_outcome', orNull(oneOf<ChangeOutcome>())),
    outcomeDetail: named('change_detail', orNull(text)),
  }),
  subject: shortText,
  requester,
  state: oneOf<ApprovalState>(),
  createdAt: int,
  expiresAt: int,
  decidedAt: orNull(int),
  decidedBy: orNull(text),
  note: orNull(text),
  planJobId: orNull(int),
  votes: listOrNull(Votes),
  planners: listOrNull(Strings),
});

export const votesColumn = (votes: Approval['votes']): object => APPROVALS.write({ votes });
export const plannersColumn = (planners: Approval['planners']): object => APPROVALS.write({ planners });

export type ApprovalRow = Row<typeof APPROVALS>;
export const APPROVAL_COLUMNS = APPROVALS.names;
export const toApproval: (row: ApprovalRow) => Approval = APPROVALS.read;

export const newApprovalColumns = (
  terms: ApprovalTerms,
  { jobType, subject, createdAt }: Pick<Approval, 'jobType' | 'subject' | 'createdAt'>,
): object => APPROVALS.write({ ...terms, jobType, subject, createdAt, state: 'waiting' });

export const newChangeColumns = (
  terms: ApprovalTerms,
  { serverId, subject, createdAt, change }: NewChangeRequest,
): object => ({
  ...APPROVALS.write({
    ...terms,
    serverId,
    subject,
    createdAt,
    state: 'waiting',
    change: { ...change, outcome: null, outcomeDetail: null },
  }),
  job_type: change.kind,
});
