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

/** What is written about the slots of a schedule whose time has come. */
export interface Stamp {
  readonly handledTo: Instant;
  readonly dueAt: Instant | null;
  /** The slot that is run now. */
  readonly run: Instant | null;
  readonly missed: readonly { readonly slotAt: Instant; readonly detail: string }[];
}

/** What a change of an owner does to a schedule of theirs; null: nothing. */
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
   * Changes what is named, nothing else. Throws `schedule_not_found`, `name_taken`, and `schedule_changed` where
   * somebody else changed it since it was read.
   */
  change(
    schedule: Schedule,
    change: ScheduleChange,
    at: Instant,
    record: (schedule: Schedule) => ChangeRecord,
  ): Promise<Schedule>;
  /** Gives schedules that an older version wrote their owner, as far as the audit log or their creator's name says it. */
  adoptOwners(): Promise<void>;
  /** Its runs go with it; jobs and batches stay. Throws `schedule_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
  /** Those that are switched on and due at this time, the longest due first; at most `limit`. */
  due(now: Instant, limit: number): Promise<readonly Schedule[]>;
  /** Those that are switched on and have dealt with slots after this time; at most `limit`. */
  ahead(of: Instant, limit: number): Promise<readonly Schedule[]>;
  /**
   * Moves a due schedule on and writes its slots, in one transaction; returns the run that is to be started. `null` where
   * there is none, and where another process was faster or somebody changed the schedule meanwhile: then nothing is
   * written. A slot gets one run at most, ever. Only the `RUNS_KEPT` runs that were
   * noted last stay, whatever their times.
   */
  stamp(schedule: Schedule, stamp: Stamp): Promise<ScheduleRun | null>;
  /** A run that somebody asks for out of its time. Throws `schedule_not_found`. */
  begin(id: number, at: Instant): Promise<ScheduleRun>;
  /** Says why a run comes to no job. Does nothing where it is not `starting` any more. */
  end(
    runId: number,
    how: { readonly outcome: 'skipped' | 'refused'; readonly code: ErrorCode; readonly detail: string },
  ): Promise<void>;
  /**
   * Notes runs as missed that have been `starting` for longer than this, by the database's clock: their process is gone,
   * or could not reach the database. They never start any more. Returns how many.
   */
  abandon(ms: number, detail: string): Promise<number>;
  /** Those first that were noted last. */
  runs(scheduleId: number, page: PageRequest): Promise<Page<ScheduleRun>>;
  /** The run of each that was noted last, by the schedule's id; there is none for those that never ran. */
  latestRuns(scheduleIds: readonly number[]): Promise<ReadonlyMap<number, ScheduleRun>>;
}
