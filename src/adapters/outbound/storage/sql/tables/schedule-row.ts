import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type {
  NewSchedule,
  RunOutcome,
  Schedule,
  ScheduleRun,
} from '../../../../../domain/automation/schedule.ts';
import type { ErrorCode } from '../../../../../domain/base/errors.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { hostText } from './host-text.ts';
import { errorCode, Params } from './job-row.ts';
import { fromJson } from './json.ts';
import { BOUNDS_COLUMNS, type BoundsRow, boundsColumns, toBounds, toSelector } from './selector-row.ts';

export const SCHEDULE_COLUMNS = [
  'id',
  'name',
  'selector',
  'cron',
  'time_zone',
  'job_type',
  'params',
  ...BOUNDS_COLUMNS,
  'jitter_ms',
  'enabled',
  'require_approval',
  'owner_kind',
  'owner_id',
  'owner_name',
  'off_reason',
  'handled_to',
  'due_at',
  'revision',
  'created_by',
  'created_at',
  'updated_at',
] as const;

export interface ScheduleRow extends BoundsRow {
  readonly id: number;
  readonly name: string;
  readonly selector: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly job_type: JobType;
  readonly params: string;
  readonly jitter_ms: number;
  readonly enabled: number;
  readonly require_approval: number;
  readonly owner_kind: ActorKind | null;
  readonly owner_id: number | null;
  readonly owner_name: string | null;
  readonly off_reason: string | null;
  readonly handled_to: number;
  readonly due_at: number | null;
  readonly revision: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export const toSchedule = (row: ScheduleRow): Schedule => ({
  id: row.id,
  name: row.name,
  selector: toSelector(row.selector),
  cron: { expression: row.cron, timeZone: row.time_zone },
  jobType: row.job_type,
  params: fromJson(Params, row.params),
  bounds: toBounds(row),
  jitterMs: row.jitter_ms,
  enabled: row.enabled === 1,
  requireApproval: row.require_approval === 1,
  owner:
    row.owner_kind === null
      ? null
      : { kind: row.owner_kind, id: row.owner_id, name: row.owner_name ?? row.created_by },
  offReason: row.off_reason,
  handledTo: row.handled_to,
  dueAt: row.due_at,
  revision: row.revision,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const scheduleColumns = (schedule: Omit<NewSchedule, 'createdBy'>): object => ({
  name: schedule.name,
  selector: JSON.stringify(schedule.selector),
  cron: schedule.cron.expression,
  time_zone: schedule.cron.timeZone,
  job_type: schedule.jobType,
  params: JSON.stringify(schedule.params),
  ...boundsColumns(schedule.bounds),
  jitter_ms: schedule.jitterMs,
  enabled: Number(schedule.enabled),
  require_approval: Number(schedule.requireApproval),
  owner_kind: schedule.owner?.kind ?? null,
  owner_id: schedule.owner?.id ?? null,
  owner_name: schedule.owner?.name.slice(0, 255) ?? null,
  off_reason: schedule.offReason,
  handled_to: schedule.handledTo,
  due_at: schedule.dueAt,
});

export const RUN_COLUMNS = [
  'id',
  'schedule_id',
  'slot_at',
  'manual',
  'outcome',
  'job_id',
  'batch_id',
  'code',
  'detail',
] as const;

export interface RunRow {
  readonly id: number;
  readonly schedule_id: number;
  readonly slot_at: number;
  readonly manual: number;
  readonly outcome: RunOutcome;
  readonly job_id: number | null;
  readonly batch_id: number | null;
  readonly code: ErrorCode | null;
  readonly detail: string | null;
}

export const toRun = (row: RunRow): ScheduleRun => ({
  id: row.id,
  scheduleId: row.schedule_id,
  slotAt: row.slot_at,
  manual: row.manual === 1,
  outcome: row.outcome,
  jobId: row.job_id,
  batchId: row.batch_id,
  code: row.code === null ? null : errorCode(row.code),
  detail: hostText(row.detail),
});
