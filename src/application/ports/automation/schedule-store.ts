import type {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleRun,
} from '../../../domain/automation/schedule.ts';
import type { ErrorCode } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** The records about a schedule's due slots. */
export interface Stamp {
  readonly handledTo: Instant;
  readonly dueAt: Instant | null;
  /** The slot that is run now. */
  readonly run: Instant | null;
  readonly missed: readonly { readonly slotAt: Instant; readonly detail: string }[];
}

/** The effect of an owner's change on a schedule; null: none. */
export type OwnerChange = (schedule: Schedule) => ScheduleChange | null;

/** Schedules, of which there are few, and the last runs of each. */
export interface ScheduleStore {
  /** Throws `name_taken`. */
  add(schedule: NewSchedule, at: Instant, record: (schedule: Schedule) => ChangeRecord): Promise<Schedule>;
  find(id: number): Promise<Schedule | null>;
  findByName(name: string): Promise<Schedule | null>;
  /** All, by name. */
  list(): Promise<readonly Schedule[]>;
  /**
   * Changes only the given fields. Throws `schedule_not_found`, `name_taken`, and `schedule_changed` if it was
   * changed since it was read.
   */
  change(
    schedule: Schedule,
    change: ScheduleChange,
    at: Instant,
    record: (schedule: Schedule) => ChangeRecord,
  ): Promise<Schedule>;
  /** Assigns owners to schedules of an older version, as far as the audit log or their creator's name shows one. */
  adoptOwners(): Promise<void>;
  /** Its runs go with it; jobs and batches stay. Throws `schedule_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
  /** Those that are switched on and due at this time, the longest due first; at most `limit`. */
  due(now: Instant, limit: number): Promise<readonly Schedule[]>;
  /** Those that are switched on and have dealt with slots after this time; at most `limit`. */
  ahead(of: Instant, limit: number): Promise<readonly Schedule[]>;
  /**
   * Advances a due schedule and writes its slots, in one transaction; returns the run to start. `null` if there is
   * none, and if another process was faster or the schedule changed in the meantime: then nothing is written. A slot
   * never gets more than one run. Keeps only the `RUNS_KEPT` latest recorded runs, whatever their times.
   */
  stamp(schedule: Schedule, stamp: Stamp): Promise<ScheduleRun | null>;
  /** A run that a user requests now. Throws `schedule_not_found`. */
  begin(id: number, at: Instant): Promise<ScheduleRun>;
  /** Records why a run started no job. Does nothing if it is no longer `starting`. */
  end(
    runId: number,
    how: { readonly outcome: 'skipped' | 'refused'; readonly code: ErrorCode; readonly detail: string },
  ): Promise<void>;
  /**
   * Marks runs as missed that have been `starting` for longer than this, by the database's clock: their process died,
   * or could not reach the database. They never start. Returns how many.
   */
  abandon(ms: number, detail: string): Promise<number>;
  /** Those first that were noted last. */
  runs(scheduleId: number, page: PageRequest): Promise<Page<ScheduleRun>>;
  /** At most `limit` runs of each, by the schedule's id, those first that were noted last; none for those that never ran. */
  latestRuns(
    scheduleIds: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly ScheduleRun[]>>;
}
