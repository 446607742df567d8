import type { Actor } from '../../domain/access/actor.ts';
import {
  delayOf,
  type Schedule,
  type ScheduleOwner,
  type ScheduleRun,
  scheduleNotFound,
} from '../../domain/automation/schedule.ts';
import { requireOwn } from '../../domain/automation/schedule-owner.ts';
import type { Instant } from '../../domain/base/instant.ts';
import type { Order, Page, PageRequest } from '../../domain/base/page.ts';
import { selects, staysWithin } from '../../domain/fleet/host-selector.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type Ports, UseCase } from '../base/use-case.ts';
import type { ScheduleStore } from '../ports/automation/schedule-store.ts';

const RUNS_AHEAD = 5;
const RUNS_BEHIND = 14;

export interface ScheduleOverview {
  readonly schedule: Schedule;
  /** `null`: disabled, or no time left. */
  readonly nextRunAt: Instant | null;
  readonly lastRun: ScheduleRun | null;
  /** The last of them first. */
  readonly latestRuns: readonly ScheduleRun[];
}

export interface ScheduleDetail {
  readonly schedule: Schedule;
  /** The next few; none if it is disabled. */
  readonly nextRuns: readonly Instant[];
  /** The latest first. */
  readonly runs: Page<ScheduleRun>;
}

export const SCHEDULE_ORDERS = ['name', 'next'] as const;
export type ScheduleOrder = Order<(typeof SCHEDULE_ORDERS)[number]>;

export interface ScheduleFilter {
  readonly on?: Pick<Server, 'id' | 'tags'>;
  readonly owner?: Pick<ScheduleOwner, 'kind' | 'id'>;
}

/** Schedules that the caller may see, by name unless another order is asked for. */
export class ListSchedules extends UseCase<'schedules' | 'cron' | 'clock'> {
  /** `on`: only those that mean this server, too; `owner`: only those that this token or user owns. */
  async execute(
    actor: Actor,
    { limit, offset }: PageRequest,
    { on, owner }: ScheduleFilter = {},
    order: ScheduleOrder = { by: 'name', descending: false },
  ): Promise<Page<ScheduleOverview>> {
    actor.require('read');
    const all = await this.deps.schedules.list();
    const visible = all.filter(
      (schedule) =>
        staysWithin(schedule.selector, actor.reach('read')) &&
        (on === undefined || selects(schedule.selector, on)) &&
        (owner === undefined || (schedule.owner?.kind === owner.kind && schedule.owner.id === owner.id)),
    );
    const window = this.#inOrder(visible, order).slice(offset, offset + limit);
    const latest = await this.deps.schedules.latestRuns(
      window.map(({ id }) => id),
      RUNS_BEHIND,
    );
    const items = window.map((schedule) => ({
      schedule,
      nextRunAt: nextRuns(this.deps, schedule, 1)[0] ?? null,
      lastRun: latest.get(schedule.id)?.[0] ?? null,
      latestRuns: latest.get(schedule.id) ?? [],
    }));
    return { items, total: visible.length, limit, offset };
  }

  /** Those without a next run come last in either direction. */
  #inOrder(schedules: readonly Schedule[], { by, descending }: ScheduleOrder): readonly Schedule[] {
    if (by === 'name') return descending ? schedules.toReversed() : schedules;
    const timed = schedules.map((schedule) => ({ schedule, next: nextRuns(this.deps, schedule, 1)[0] }));
    const last = descending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const turn = descending ? -1 : 1;
    return timed
      .toSorted((one, other) => turn * ((one.next ?? last) - (other.next ?? last)) || 0)
      .map(({ schedule }) => schedule);
  }

  /** The one of this name; `null` if there is none, or the caller may not see it. */
  async named(actor: Actor, name: string): Promise<Schedule | null> {
    actor.require('read');
    const found = await this.deps.schedules.findByName(name);
    return found && staysWithin(found.selector, actor.reach('read')) ? found : null;
  }
}

export class GetSchedule extends UseCase<'schedules' | 'cron' | 'clock'> {
  /** Throws `schedule_not_found`. */
  async execute(actor: Actor, id: number, page: PageRequest): Promise<ScheduleDetail> {
    actor.require('read');
    const schedule = await visibleSchedule(this.deps.schedules, actor, id);
    return {
      schedule,
      nextRuns: nextRuns(this.deps, schedule, RUNS_AHEAD),
      runs: await this.deps.schedules.runs(id, page),
    };
  }
}

/** With the delay of its one server; servers of a batch have one each. */
function nextRuns(
  { cron, clock }: Pick<Ports, 'cron' | 'clock'>,
  schedule: Schedule,
  count: number,
): readonly Instant[] {
  if (!schedule.enabled) return [];
  const delay = delayOf(schedule);
  const times: Instant[] = [];
  let at = cron.next(schedule.cron, Math.max(schedule.handledTo, clock.now() - delay));
  while (at !== null && times.length < count) {
    times.push(at + delay);
    at = cron.next(schedule.cron, at);
  }
  return times;
}

/** One that could reach beyond the caller's servers is not there for them. Throws `schedule_not_found`. */
export async function visibleSchedule(schedules: ScheduleStore, actor: Actor, id: number): Promise<Schedule> {
  const schedule = await schedules.find(id);
  if (!schedule || !staysWithin(schedule.selector, actor.reach('read')))
    throw scheduleNotFound(`with id ${id}`);
  return schedule;
}

/** One that the caller may change. Throws as `visibleSchedule`, `approval_required`, `not_owner`. */
export async function ownSchedule(schedules: ScheduleStore, actor: Actor, id: number): Promise<Schedule> {
  const found = await visibleSchedule(schedules, actor, id);
  // A replica of an older version wrote it.
  if (found.owner === null) await schedules.adoptOwners();
  const schedule = found.owner === null ? await visibleSchedule(schedules, actor, id) : found;
  if (!staysWithin(schedule.selector, actor.reach('jobs'))) actor.require('jobs');
  requireOwn(actor, schedule.owner, `the schedule ${schedule.name}`);
  return schedule;
}
