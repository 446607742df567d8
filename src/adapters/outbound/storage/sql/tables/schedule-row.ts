import type { ActorKind } from '../../../../../domain/access/actor.ts';
import type { BatchStatus } from '../../../../../domain/automation/batch.ts';
import type {
  NewSchedule,
  RunOutcome,
  Schedule,
  ScheduleRun,
} from '../../../../../domain/automation/schedule.ts';
import type { JobStatus } from '../../../../../domain/jobs/job.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import {
  columns,
  flag,
  hostWritten,
  int,
  named,
  nullable,
  oneOf,
  orNull,
  type Row,
  shortText,
  text,
} from './columns.ts';
import { errorCode, params } from './job-row.ts';
import { bounds, selector } from './selector-row.ts';

/** Editable fields of a schedule. */
const CHANGEABLE = columns({
  name: text,
  selector,
  cron: { expression: named('cron', text), timeZone: text },
  jobType: oneOf<JobType>(),
  params,
  bounds,
  jitterMs: int,
  enabled: flag,
  requireApproval: flag,
  owner: nullable({
    kind: named('owner_kind', oneOf<ActorKind>()),
    id: named('owner_id', orNull(int)),
    // Rows of older versions have no owner name.
    name: named('owner_name', orNull(shortText)),
  }),
  offReason: orNull(text),
  handledTo: int,
  dueAt: orNull(int),
});
export const SCHEDULES = columns({
  id: int,
  ...CHANGEABLE.shape,
  revision: int,
  createdBy: shortText,
  createdAt: int,
  updatedAt: int,
});

export type ScheduleRow = Row<typeof SCHEDULES>;
export const SCHEDULE_COLUMNS = SCHEDULES.names;
export function toSchedule(row: ScheduleRow): Schedule {
  const schedule = SCHEDULES.read(row);
  const { owner, createdBy } = schedule;
  return { ...schedule, owner: owner && { ...owner, name: owner.name ?? createdBy } };
}

export const scheduleColumns = (schedule: Omit<NewSchedule, 'createdBy'>): object =>
  CHANGEABLE.write(schedule);

const RUNS = columns({
  id: int,
  scheduleId: int,
  slotAt: int,
  manual: flag,
  outcome: oneOf<RunOutcome>(),
  jobId: orNull(int),
  batchId: orNull(int),
  code: orNull(errorCode),
  detail: orNull(hostWritten),
});

export type RunRow = Row<typeof RUNS> & {
  /** Of its job or batch, if the query joins them. */
  readonly result?: JobStatus | BatchStatus | null;
};
export const RUN_COLUMNS = RUNS.names;
export const toRun = (row: RunRow): ScheduleRun => ({
  ...RUNS.read(row),
  ...(row.result ? { result: row.result } : {}),
});
