import {
  type Batch,
  type BatchMember,
  type BatchStatus,
  MEMBER_STATUSES,
  type MemberStatus,
  type NewBatch,
} from '../../../../../domain/automation/batch.ts';
import type { OrderedMember } from '../../../../../domain/automation/order-step.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { requester } from './approval-row.ts';
import {
  type Column,
  columns,
  flag,
  hostWritten,
  int,
  json,
  listOrNull,
  named,
  oneOf,
  orNull,
  type Row,
  text,
} from './columns.ts';
import { errorCode, params } from './job-row.ts';
import { Orders, PlaceSchema } from './order-row.ts';
import { bounds, selector } from './selector-row.ts';

export const countColumn = (status: MemberStatus): string => `members_${status}`;

const counts = Object.fromEntries(
  MEMBER_STATUSES.map((status) => [status, named(countColumn(status), int)]),
) as unknown as { readonly [S in MemberStatus]: Column<number, number, `members_${S}`> };

const NEW = columns({
  jobType: oneOf<JobType>(),
  params,
  selector,
  bounds,
  requester,
  scheduled: flag,
  scheduleId: orNull(int),
  requireApproval: flag,
  outsideWindow: flag,
  orders: listOrNull(Orders),
  createdAt: int,
});
const BATCHES = columns({
  id: int,
  ...NEW.shape,
  status: oneOf<BatchStatus>(),
  version: int,
  counts,
  approvedBy: orNull(text),
  finishedAt: orNull(int),
  cancelRequestedAt: orNull(int),
  stopReason: orNull(text),
});

export type BatchRow = Row<typeof BATCHES>;
export const BATCH_COLUMNS = BATCHES.names;
export const toBatch: (row: BatchRow) => Batch = BATCHES.read;
export const newBatchColumns = (batch: NewBatch, status: BatchStatus): object => ({
  ...NEW.write(batch),
  status,
});

const MEMBERS = columns({
  serverId: int,
  serverName: text,
  status: oneOf<MemberStatus>(),
  jobId: orNull(int),
  notBefore: orNull(int),
  code: orNull(errorCode),
  detail: orNull(hostWritten),
  place: orNull(json(PlaceSchema)),
});

/** For the order of updates, with the times of its job. */
const ORDERED = columns({
  serverId: int,
  serverName: text,
  status: oneOf<MemberStatus>(),
  place: MEMBERS.shape.place,
  notBefore: orNull(int),
  jobStartedAt: orNull(int),
  jobEndedAt: orNull(int),
});
export type OrderedRow = Row<typeof ORDERED>;
export const toOrdered: (row: OrderedRow) => OrderedMember = ORDERED.read;

export type MemberRow = Row<typeof MEMBERS>;
export const MEMBER_COLUMNS = MEMBERS.names;
export const toMember: (row: MemberRow) => BatchMember = MEMBERS.read;
