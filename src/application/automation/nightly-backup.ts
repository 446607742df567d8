import type { Actor } from '../../domain/access/actor.ts';
import type { CronRule } from '../../domain/automation/cron-rule.ts';
import { MAX_SCHEDULES, type Schedule } from '../../domain/automation/schedule.ts';
import { MAX_HOSTS, selects, staysWithin } from '../../domain/fleet/host-selector.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import type { ListSchedules } from './list-schedules.ts';
import type { ManageSchedules } from './manage-schedules.ts';

const NAME = 'nightly-backup';
const EXPRESSION = '30 2 * * *';

/** A server's nightly backups: how they are scheduled, or would be. */
export interface NightlyPlan {
  /** The schedule that includes the server, or that the server joins; `null`: a new one. */
  readonly schedule: Schedule | null;
  readonly included: boolean;
}

/** Puts servers on the schedule "nightly-backup", and creates it for the first one. */
export class NightlyBackup extends UseCase<
  never,
  { readonly listSchedules: ListSchedules; readonly manageSchedules: ManageSchedules }
> {
  async plan(actor: Actor, server: Pick<Server, 'id' | 'tags'>): Promise<NightlyPlan> {
    const { items } = await this.deps.listSchedules.execute(actor, { limit: MAX_SCHEDULES, offset: 0 });
    const usable = items.flatMap(({ schedule }) =>
      schedule.enabled && schedule.jobType === 'backup' && schedule.params.sourceFilter === null
        ? [schedule]
        : [],
    );
    const including = usable.find(({ selector }) => selects(selector, server));
    if (including !== undefined) return { schedule: including, included: true };
    const open = usable.find(
      ({ name, selector }) =>
        name === NAME &&
        selector.by === 'ids' &&
        selector.ids.length < MAX_HOSTS &&
        staysWithin(selector, actor.reach('jobs')),
    );
    return { schedule: open ?? null, included: false };
  }

  /**
   * Returns the schedule that backs up the server every night. Throws as `ManageSchedules` does, `invalid_input` for an
   * unknown time zone among others.
   */
  async execute(
    actor: Actor,
    server: Pick<Server, 'id' | 'name' | 'tags'>,
    timeZone: string,
  ): Promise<Schedule> {
    const { schedule, included } = await this.plan(actor, server);
    if (schedule !== null && included) return schedule;
    if (schedule?.selector.by === 'ids') {
      const selector = { ids: [...schedule.selector.ids, server.id] };
      return this.deps.manageSchedules.edit(actor, schedule.id, { selector });
    }
    const { items } = await this.deps.listSchedules.execute(actor, { limit: MAX_SCHEDULES, offset: 0 });
    // Also by one that the caller may not see.
    const isTaken = actor.reach('jobs').ids !== null || items.some((each) => each.schedule.name === NAME);
    return this.deps.manageSchedules.add(actor, {
      name: isTaken ? `${NAME}-${server.name}`.slice(0, 63) : NAME,
      selector: { ids: [server.id] },
      cron: nightly(timeZone),
      jobType: 'backup',
      params: {},
      bounds: {},
      jitterMs: 0,
      enabled: true,
    });
  }
}

/** Every night at 02:30. */
export const nightly = (timeZone: string): CronRule => ({ expression: EXPRESSION, timeZone });
