import type { ActorKind } from '../../../../../domain/access/actor.ts';
import {
  type Batch,
  type BatchMember,
  type BatchStatus,
  MEMBER_STATUSES,
  type MemberCounts,
  type MemberStatus,
  type NewBatch,
} from '../../../../../domain/automation/batch.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { hostText } from './host-text.ts';
import { errorCode, Params } from './job-row.ts';
import { fromJson } from './json.ts';
import { BOUNDS_COLUMNS, type BoundsRow, boundsColumns, toBounds, toSelector } from './selector-row.ts';

export const countColumn = (status: MemberStatus): string => `members_${status}`;

export const BATCH_COLUMNS: readonly string[] = [
  'id',
  'job_type',
  'params',
  'selector',
  ...BOUNDS_COLUMNS,
  'status',
  'version',
  ...MEMBER_STATUSES.map(countColumn),
  'requester_kind',
  'requester_id',
  'requester_name',
  'requester_address',
  'requested_by',
  'scheduled',
  'schedule_id',
  'require_approval',
  'approved_by',
  'outside_window',
  'created_at',
  'finished_at',
  'cancel_requested_at',
  'stop_reason',
];

export interface BatchRow extends BoundsRow {
  readonly id: number;
  readonly job_type: JobType;
  readonly params: string;
  readonly selector: string;
  readonly status: BatchStatus;
  readonly version: number;
  readonly requester_kind: ActorKind;
  readonly requester_id: number | null;
  readonly requester_name: string;
  readonly requester_address: string | null;
  readonly requested_by: string;
  readonly scheduled: number;
  readonly schedule_id: number | null;
  readonly require_approval: number;
  readonly approved_by: string | null;
  readonly outside_window: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly cancel_requested_at: number | null;
  readonly stop_reason: string | null;
}

export const toBatch = (row: BatchRow): Batch => ({
  id: row.id,
  jobType: row.job_type,
  params: fromJson(Params, row.params),
  selector: toSelector(row.selector),
  bounds: toBounds(row),
  status: row.status,
  version: row.version,
  counts: toCounts(row),
  requester: {
    kind: row.requester_kind,
    id: row.requester_id,
    name: row.requester_name,
    address: row.requester_address,
    label: row.requested_by,
  },
  scheduled: row.scheduled === 1,
  scheduleId: row.schedule_id,
  requireApproval: row.require_approval === 1,
  approvedBy: row.approved_by,
  outsideWindow: row.outside_window === 1,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  cancelRequestedAt: row.cancel_requested_at,
  stopReason: row.stop_reason,
});

function toCounts(row: BatchRow): MemberCounts {
  const columns = row as unknown as Readonly<Record<string, number>>;
  return Object.fromEntries(
    MEMBER_STATUSES.map((status) => [status, columns[countColumn(status)] ?? 0]),
  ) as unknown as MemberCounts;
}

const MAX_NAME_LENGTH = 255;

export const newBatchColumns = (batch: NewBatch, status: BatchStatus): object => ({
  job_type: batch.jobType,
  params: JSON.stringify(batch.params),
  selector: JSON.stringify(batch.selector),
  ...boundsColumns(batch.bounds),
  status,
  requester_kind: batch.requester.kind,
  requester_id: batch.requester.id,
  requester_name: batch.requester.name.slice(0, MAX_NAME_LENGTH),
  requester_address: batch.requester.address,
  requested_by: batch.requester.label.slice(0, MAX_NAME_LENGTH),
  scheduled: Number(batch.scheduled),
  schedule_id: batch.scheduleId,
  require_approval: Number(batch.requireApproval),
  outside_window: Number(batch.outsideWindow),
  created_at: batch.createdAt,
});

export const MEMBER_COLUMNS = [
  'server_id',
  'server_name',
  'status',
  'job_id',
  'not_before',
  'code',
  'detail',
] as const;

export interface MemberRow {
  readonly server_id: number;
  readonly server_name: string;
  readonly status: MemberStatus;
  readonly job_id: number | null;
  readonly not_before: number | null;
  readonly code: string | null;
  readonly detail: string | null;
}

export const toMember = (row: MemberRow): BatchMember => ({
  serverId: row.server_id,
  serverName: row.server_name,
  status: row.status,
  jobId: row.job_id,
  notBefore: row.not_before,
  code: row.code === null ? null : errorCode(row.code),
  detail: hostText(row.detail),
});
