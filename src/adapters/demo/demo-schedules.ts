import { paramsOf } from '../../application/jobs/job-params.ts';
import type { CronClock } from '../../application/ports/automation/cron-clock.ts';
import { batchBounds } from '../../domain/automation/batch.ts';
import type { CronRule } from '../../domain/automation/cron-rule.ts';
import { asOwner } from '../../domain/automation/schedule-owner.ts';
import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import { hostSelector, type RawSelector } from '../../domain/fleet/host-selector.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { ANN, type DemoPorts } from './demo-ports.ts';

interface DemoSchedule {
  readonly name: string;
  readonly jobType: JobType;
  readonly expression: string;
  readonly selector: RawSelector;
  /** This many of its last times were run; 0: it is switched off. */
  readonly runs: number;
}

const SCHEDULES: readonly DemoSchedule[] = [
  {
    name: 'nightly-backup',
    jobType: 'backup',
    expression: '0 2 * * *',
    selector: { tags: ['production', 'office'] },
    runs: 3,
  },
  {
    name: 'look-for-updates',
    jobType: 'os_update_check',
    expression: '0 5 * * *',
    selector: { all: true },
    runs: 1,
  },
  {
    name: 'sunday-patches',
    jobType: 'os_patch',
    expression: '0 3 * * 0',
    selector: { tags: ['staging', 'ci'] },
    runs: 1,
  },
  {
    name: 'monthly-restore-drill',
    jobType: 'snapshot_verify',
    expression: '0 6 1 * *',
    selector: { tags: ['database'] },
    runs: 0,
  },
];

/** The last run has to have come to its end. */
const MAX_RUN = 4 * HOUR;

interface DemoTimes {
  /** When schedules were due, oldest first. */
  readonly slots: readonly Instant[];
  /** When the last backups started. */
  readonly night: Instant;
}

/** Schedules that were there for long, and are still to be run at the last of their times. */
export async function seedSchedules({ cron, schedules }: DemoPorts, now: Instant): Promise<DemoTimes> {
  const slots: Instant[] = [];
  let night = now - DAY;
  for (const { name, jobType, expression, selector, runs } of SCHEDULES) {
    const rule = { expression, timeZone: 'Europe/Berlin' };
    const own = lastTimes(cron, rule, { upTo: now - MAX_RUN, count: runs });
    await schedules.add(
      {
        name,
        jobType,
        selector: hostSelector(selector),
        cron: rule,
        params: paramsOf(jobType, {}),
        bounds: batchBounds({ maxParallel: 20 }),
        jitterMs: 0,
        enabled: runs > 0,
        requireApproval: false,
        handledTo: Math.min(now, ...own) - 1,
        dueAt: own[0] ?? null,
        owner: asOwner(ANN),
        offReason: null,
        createdBy: ANN.label,
      },
      now - 50 * DAY,
      () => ({}),
    );
    slots.push(...own);
    if (jobType === 'backup') night = own.at(-1) ?? night;
  }
  return { slots: slots.toSorted((one, other) => one - other), night };
}

/** Oldest first. */
function lastTimes(
  cron: CronClock,
  rule: CronRule,
  { upTo, count }: { readonly upTo: Instant; readonly count: number },
): readonly Instant[] {
  const times: Instant[] = [];
  for (let at = cron.last(rule, upTo); at !== null && times.length < count; at = cron.last(rule, at - 1))
    times.unshift(at);
  return times;
}
