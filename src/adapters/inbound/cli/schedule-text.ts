import type { ScheduleOverview } from '../../../application/automation/list-schedules.ts';
import { cronText } from '../../../domain/automation/cron-rule.ts';
import { onlyServer, type Schedule, type ScheduleRun } from '../../../domain/automation/schedule.ts';
import { ownerLabel } from '../../../domain/automation/schedule-owner.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { count, duration } from '../../../domain/base/spans.ts';
import { jobTitle } from '../../../domain/jobs/job-types.ts';
import { paramsText } from './batch-text.ts';
import type { SelectorWords } from './find-server.ts';
import { localTime } from './local-time.ts';
import { type Cell, properties, table } from './table.ts';
import { typeText } from './words.ts';

export const SCHEDULE_HEADING = ['ID', 'NAME', 'JOB', 'SERVERS', 'WHEN', 'NEXT', 'LAST'];

export const scheduleRow = (
  { schedule, nextRunAt, lastRun }: ScheduleOverview,
  words: SelectorWords,
): readonly Cell[] => [
  schedule.id,
  schedule.name,
  jobTitle(schedule.jobType),
  words(schedule.selector),
  cronText(schedule.cron),
  schedule.enabled ? nextRunAt && localTime(nextRunAt) : 'off',
  lastRun && `${lastRun.outcome} ${localTime(lastRun.slotAt)}`,
];

export function scheduleText(
  schedule: Schedule,
  nextRuns: readonly Instant[],
  runs: readonly ScheduleRun[],
  words: SelectorWords,
): string {
  const { bounds } = schedule;
  const isBatch = onlyServer(schedule) === null;
  const facts = properties([
    ['Schedule', `${schedule.id} (${schedule.name})`],
    ['Does', [typeText(schedule.jobType), paramsText(schedule.params)].filter(Boolean).join(' ')],
    ['On', words(schedule.selector)],
    ['When', cronText(schedule.cron)],
    ['Jitter', schedule.jitterMs === 0 ? null : `up to ${duration(schedule.jitterMs)}`],
    ['At once', isBatch ? bounds.maxParallel : null],
    ['Canaries', isBatch && bounds.canary > 0 ? bounds.canary : null],
    ['Stops after', bounds.stopAfterFailures === null ? null : count(bounds.stopAfterFailures, 'failure')],
    ['State', schedule.enabled ? 'on' : ['off', schedule.offReason].filter(Boolean).join(': ')],
    ['Approval', schedule.requireApproval ? 'its jobs need approval' : null],
    ['Owner', ownerLabel(schedule)],
    ['Created by', `${schedule.createdBy}, ${localTime(schedule.createdAt)}`],
    ['Next', nextRuns.map(localTime).join('; ')],
  ]);
  if (runs.length === 0) return facts;
  const rows = runs.map((run) => [
    localTime(run.slotAt),
    run.manual ? `${run.outcome} (manual)` : run.outcome,
    madeBy(run),
    run.detail,
  ]);
  return `${facts}\n${table(['TIME', 'OUTCOME', 'STARTED', 'WHY'], rows, { last: 'whole' })}`;
}

/** Schedules that a change of their owner disabled; empty if there are none. */
export const switchedOffText = (schedules: readonly Schedule[]): string =>
  schedules.length === 0
    ? ''
    : [
        `Switched off ${count(schedules.length, 'schedule')}:`,
        ...schedules.map(({ id, name, offReason }) => `  ${id}  ${name}: ${offReason}`),
        'To keep one, switch it on with "drover schedule enable NAME"; you then become its owner.',
        '',
      ].join('\n');

export const startedText = (run: ScheduleRun): string =>
  run.batchId === null
    ? `Started job ${run.jobId}. Follow it with: ${shellCommand`drover job show ${run.jobId} --follow`}\n`
    : `Started batch ${run.batchId}. Follow it with: ${shellCommand`drover batch show ${run.batchId}`}\n`;

function madeBy({ jobId, batchId }: ScheduleRun): string | null {
  if (batchId !== null) return `batch ${batchId}`;
  return jobId === null ? null : `job ${jobId}`;
}
