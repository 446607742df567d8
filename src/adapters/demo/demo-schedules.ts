import { paramsOf } from '../../application/jobs/job-params.ts';
import type { CronClock } from '../../application/ports/automation/cron-clock.ts';
import { batchBounds } from '../../domain/automation/batch.ts';
import type { CronRule } from '../../domain/automation/cron-rule.ts';
import { asOwner } from '../../domain/automation/schedule-owner.ts';
import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import { hostSelector, type RawSelector } from '../../domain/fleet/host-selector.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { ANN, DEMO_ZONE, type DemoPorts } from './demo-ports.ts';

interface DemoSchedule {
  readonly name: string;
  readonly jobType: JobType;
  readonly expression: string;
  readonly selector: RawSelector;
  /** Days of history; 0: it is switched off. */
  readonly days: number;
}

const SCHEDULES: readonly DemoSchedule[] = [
  {
    name: 'nightly-backup',
    jobType: 'backup',
    expression: '0 2 * * *',
    selector: { tags: ['production', 'office'] },
    days: 30,
  },
  {
    name: 'look-for-updates',
    jobType: 'os_update_check',
    expression: '0 5 * * *',
    selector: { all: true },
    days: 30,
  },
  {
    name: 'sunday-patches',
    jobType: 'os_patch',
    expression: '0 3 * * 0',
    selector: { tags: ['staging', 'ci'] },
    days: 30,
  },
  {
    name: 'monthly-restore-drill',
    jobType: 'snapshot_verify',
    expression: '0 6 1 * *',
    selector: { tags: ['database'] },
    days: 0,
  },
];

/** The last run has to have come to its end. */
const MAX_RUN = 2 * HOUR;

/** A schedule's past: when it was due, oldest first. */
export interface ScheduleTimes {
  readonly id: number;
  readonly name: string;
  readonly jobType: JobType;
  readonly selector: RawSelector;
  readonly slots: readonly Instant[];
}

/** Schedules that have existed for weeks. */
export async function seedSchedules(
  { cron, schedules }: DemoPorts,
  now: Instant,
): Promise<readonly ScheduleTimes[]> {
  const times: ScheduleTimes[] = [];
  for (const { name, jobType, expression, selector, days } of SCHEDULES) {
    const rule = { expression, timeZone: DEMO_ZONE };
    const slots = lastTimes(cron, rule, { from: now - days * DAY, upTo: now - MAX_RUN });
    const { id } = await schedules.add(
      {
        name,
        jobType,
        selector: hostSelector(selector),
        cron: rule,
        params: paramsOf(jobType, {}),
        bounds: batchBounds({ maxParallel: 20 }),
        jitterMs: 0,
        enabled: days > 0,
        requireApproval: false,
        handledTo: now,
        dueAt: days > 0 ? cron.next(rule, now) : null,
        owner: asOwner(ANN),
        offReason: null,
        createdBy: ANN.label,
      },
      now - 50 * DAY,
      () => ({}),
    );
    times.push({ id, name, jobType, selector, slots });
  }
  return times;
}

/** Oldest first. */
function lastTimes(
  cron: CronClock,
  rule: CronRule,
  { from, upTo }: { readonly from: Instant; readonly upTo: Instant },
): readonly Instant[] {
  const times: Instant[] = [];
  for (let at = cron.last(rule, upTo); at !== null && at > from; at = cron.last(rule, at - 1))
    times.unshift(at);
  return times;
}
