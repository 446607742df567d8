import { Actor } from '../../domain/access/actor.ts';
import {
  catchUp,
  delayOf,
  MAX_MISSED_LISTED,
  type Schedule,
  type ScheduleRun,
  STARTING_MS,
  TOLERANCE_MS,
} from '../../domain/automation/schedule.ts';
import { ownerFault, SWITCHED_OFF } from '../../domain/automation/schedule-owner.ts';
import { type DomainError, isDomainError } from '../../domain/base/errors.ts';
import { type Instant, toIso, toMinute } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import type { RequesterActors } from '../jobs/requester-actors.ts';
import type { Stamp } from '../ports/automation/schedule-store.ts';
import type { StartScheduledJob } from './start-scheduled-job.ts';
import { switchedOffEntry } from './switched-off-schedules.ts';

const PAGE = 100;
/** Schedules that are dealt with at a look. */
const MAX_PAGES = 10;

/** Starts due schedules. Safe to run in several processes at once. */
export class RunDueSchedules extends UseCase<
  'schedules' | 'cron' | 'clock' | 'log',
  { readonly startScheduledJob: StartScheduledJob; readonly requesters: Pick<RequesterActors, 'ownerOf'> }
> {
  async execute(signal: AbortSignal): Promise<void> {
    const lost = await this.deps.schedules.abandon(
      STARTING_MS,
      'Drover stopped, or lost its database, at the start time; this run was skipped.',
    );
    if (lost > 0) this.deps.log.warn('gave up runs of schedules whose process is gone', { runs: lost });
    await this.#bringBack();
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const due = await this.#due();
      for (const schedule of due) {
        if (signal.aborted) return;
        await this.#runAlone(schedule);
      }
      if (due.length < PAGE) return;
    }
  }

  /**
   * After a clock that was ahead, schedules have processed slots up to a future time, and would wait until then. They
   * continue from the present. A slot that was run before does not run again: it has its run.
   */
  async #bringBack(): Promise<void> {
    const now = this.deps.clock.now();
    for (const schedule of await this.deps.schedules.ahead(now + TOLERANCE_MS, PAGE * MAX_PAGES)) {
      const delay = delayOf(schedule);
      const handledTo = now - delay;
      const next = this.deps.cron.next(schedule.cron, handledTo);
      const dueAt = next === null ? null : next + delay;
      await this.deps.schedules.stamp(schedule, { handledTo, dueAt, run: null, missed: [] });
      this.deps.log.warn('a schedule was ahead of the clock and continues from now', {
        schedule: schedule.name,
        wasAt: toIso(schedule.handledTo),
      });
    }
  }

  /** A replica of an older version writes schedules without an owner. */
  async #due(): Promise<readonly Schedule[]> {
    const due = await this.deps.schedules.due(this.deps.clock.now(), PAGE);
    if (due.every(({ owner }) => owner !== null)) return due;
    await this.deps.schedules.adoptOwners();
    return this.deps.schedules.due(this.deps.clock.now(), PAGE);
  }

  /** A failure of one schedule must not stop the others. */
  async #runAlone(schedule: Schedule): Promise<void> {
    try {
      await this.#run(schedule);
    } catch (error) {
      if (isDomainError(error, 'database_unavailable')) throw error;
      this.deps.log.warn('could not run a schedule', { schedule: schedule.name, error: String(error) });
    }
  }

  /** The slot is stamped before anything is started for it: should this process die in between, it is not run twice. */
  async #run(schedule: Schedule): Promise<void> {
    const stamp = this.#stampOf(schedule);
    if (stamp.missed.length > 0) {
      this.deps.log.warn('runs of a schedule were missed', {
        schedule: schedule.name,
        slots: stamp.missed.length,
      });
    }
    const run = await this.deps.schedules.stamp(schedule, stamp);
    if (!run) return;
    const { name } = schedule;
    // Checked only now: a token that was revoked since the schedule was read starts nothing.
    const owner = await this.deps.requesters.ownerOf(schedule);
    const fault = ownerFault(owner, schedule);
    const refusal = fault
      ? await this.#switchOff(schedule, run, fault)
      : owner && (await this.deps.startScheduledJob.execute(owner, schedule, run));
    if (refusal) this.deps.log.warn('a schedule started nothing', { schedule: name, code: refusal.code });
  }

  /** Its owner can no longer run it, such as an expired token. */
  async #switchOff(schedule: Schedule, run: ScheduleRun, fault: DomainError): Promise<DomainError> {
    const now = this.deps.clock.now();
    const reason = fault.message;
    await this.deps.schedules.end(run.id, { outcome: 'refused', code: fault.code, detail: reason });
    const moved = await this.deps.schedules.find(schedule.id);
    if (moved?.revision !== schedule.revision) return fault;
    await this.deps.schedules
      .change(moved, { ...SWITCHED_OFF, offReason: reason }, now, (off) => ({
        audit: [switchedOffEntry(Actor.system('schedules'), now, off)],
      }))
      .catch((error: unknown) => {
        // It was changed or removed in the meantime: the next run reads the new state.
        if (!isDomainError(error, 'schedule_changed') && !isDomainError(error, 'schedule_not_found'))
          throw error;
      });
    return fault;
  }

  #stampOf(schedule: Schedule): Stamp {
    const delay = delayOf(schedule);
    const until = this.deps.clock.now() - delay;
    const slots = this.#slotsUpTo(schedule, until);
    const { run, missed } = catchUp(slots, until);
    const handledTo = slots.at(-1) ?? schedule.handledTo;
    const next = this.deps.cron.next(schedule.cron, handledTo);
    const listed = missed.slice(-MAX_MISSED_LISTED);
    return {
      handledTo,
      dueAt: next === null ? null : next + delay,
      run,
      missed: listed.map((slotAt, index) => ({
        slotAt,
        detail:
          index === 0 && listed.length < missed.length
            ? `${MISSED} All earlier runs since ${toMinute(schedule.handledTo)} were missed too.`
            : MISSED,
      })),
    };
  }

  /** The latest unprocessed slots: one more than can be recorded, if there are more. */
  #slotsUpTo({ cron, handledTo }: Schedule, until: Instant): readonly Instant[] {
    const slots: Instant[] = [];
    let at = this.deps.cron.last(cron, until);
    while (at !== null && at > handledTo && slots.length <= MAX_MISSED_LISTED + 1) {
      slots.unshift(at);
      at = this.deps.cron.last(cron, at - 1);
    }
    return slots;
  }
}

const MISSED = 'Drover was not running when this run was due.';
