import type { Command } from 'commander';
import { ListSchedules, type ScheduleOverview } from '../../../../application/automation/list-schedules.ts';
import { GetOverview, URGENT_NEEDS, type UrgentNeed } from '../../../../application/fleet/get-overview.ts';
import { ListJobs } from '../../../../application/jobs/list-jobs.ts';
import { DescribeService } from '../../../../application/service/describe-service.ts';
import { type Instant, toIso } from '../../../../domain/base/instant.ts';
import { ago, count, duration } from '../../../../domain/base/spans.ts';
import type { Job } from '../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../domain/jobs/job-types.ts';
import { jobView } from '../../api/views/job-view.ts';
import { withExamples } from '../arguments.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';

/** Of each list; the rest is counted. */
const MAX_SHOWN = 5;
const MAX_SCHEDULES = 100;

const NEEDS: Readonly<Record<UrgentNeed, string>> = {
  unreachable: 'cannot be reached',
  stale_backup: 'no recent backup',
  disk_full: 'disk nearly full',
  security_updates: 'security updates pending',
  reboot: 'reboot pending',
  updates_unknown: 'updates never checked',
  unchecked: 'never connected',
};

export function addStatusCommand(program: Command, runner: Runner): void {
  withExamples(
    program
      .command('status')
      .description(
        'show whether Drover runs, which servers need attention, active jobs and the next schedules',
      )
      .action(runner.run(status)),
    'drover status',
    'drover status --json',
  );
}

async function status(session: Session): Promise<Reply> {
  const { useCases, actor } = session;
  const [service, overview, active, next] = await Promise.all([
    useCases.get(DescribeService).execute(actor),
    useCases.get(GetOverview).execute(actor, { worst: MAX_SHOWN, recent: 0, fleet: 0 }),
    useCases.get(ListJobs).execute(actor, { activeOnly: true, limit: MAX_SHOWN, offset: 0 }),
    nextSchedules(session),
  ]);
  const { summary, needs, failedJobs, approvals } = overview;
  const replicas = service.replicas.length;
  const care = URGENT_NEEDS.filter((need) => needs[need].total > 0);
  return {
    json: {
      running: replicas > 0,
      version: service.version,
      replicas,
      servers: summary.hosts,
      alerts_open: summary.alertsOpen,
      needs: care.map((need) => ({
        need,
        total: needs[need].total,
        servers: needs[need].worst.map(({ id, name }) => ({ id, name })),
      })),
      failed_jobs: failedJobs.total,
      approvals: approvals.total,
      jobs_active: active.total,
      jobs: active.items.map(jobView),
      schedules: next.map(({ schedule, at }) => ({
        id: schedule.id,
        name: schedule.name,
        job_type: schedule.jobType,
        next_run_at: toIso(at),
      })),
    },
    text: [
      replicas > 0
        ? `Drover ${service.version} is running${replicas > 1 ? ` (${replicas} replicas)` : ''}.\n`
        : 'Drover is not running, so no jobs start. Start it with: drover serve\n',
      `${count(summary.hosts, 'server')}, ${count(summary.alertsOpen, 'open alert')}\n`,
      section(
        'Needs attention',
        [
          ...care.map((need) => `${NEEDS[need]}: ${namesOf(needs[need])}`),
          ...(failedJobs.total > 0 ? [`${count(failedJobs.total, 'failed job')}: drover alert list`] : []),
          ...(approvals.total > 0
            ? [`${count(approvals.total, 'job')} awaiting approval: drover approval list`]
            : []),
        ],
        'nothing',
      ),
      section(
        'Active jobs',
        [...active.items.map((job) => jobLine(job, session.now())), ...rest(active)],
        'none',
      ),
      section(
        'Next schedules',
        next.map(({ schedule, at }) => `${localTime(at)}  ${schedule.name} (${jobTitle(schedule.jobType)})`),
        'none',
      ),
    ].join(''),
  };
}

type Next = Pick<ScheduleOverview, 'schedule'> & { readonly at: Instant };

/** The first schedules to run, of the first ones by name. */
async function nextSchedules({ useCases, actor }: Session): Promise<readonly Next[]> {
  const { items } = await useCases.get(ListSchedules).execute(actor, { limit: MAX_SCHEDULES, offset: 0 });
  return items
    .flatMap(({ schedule, nextRunAt }) => (nextRunAt === null ? [] : [{ schedule, at: nextRunAt }]))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, MAX_SHOWN);
}

function namesOf({
  total,
  worst,
}: {
  readonly total: number;
  readonly worst: readonly { readonly name: string }[];
}): string {
  const names = worst.map(({ name }) => name).join(', ');
  return total > worst.length ? `${names} and ${total - worst.length} more` : names;
}

const rest = ({ total, items }: { readonly total: number; readonly items: readonly unknown[] }) =>
  total > items.length ? [`and ${total - items.length} more: drover job list --active`] : [];

function jobLine(job: Job, now: Instant): string {
  const since =
    job.startedAt === null ? `requested ${ago(job.createdAt, now)}` : `for ${duration(now - job.startedAt)}`;
  return `${job.id}  ${jobTitle(job.jobType)} on ${job.serverName}: ${job.status}, ${since}`;
}

const section = (title: string, lines: readonly string[], none: string): string =>
  lines.length === 0
    ? `\n${title}: ${none}\n`
    : `\n${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`;
