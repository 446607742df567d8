import type {
  ScheduleOrder,
  ScheduleOverview,
} from '../../../../../application/automation/list-schedules.ts';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { RowMenu } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Switch } from '../../components/switch.tsx';
import { At } from '../../components/time.tsx';
import { Selected } from './batch-rows.tsx';
import { LastRun, LatestRuns } from './schedule-runs.tsx';
import { When } from './when.tsx';

/** Schedules that a change of their owner disabled, for the page after it. */
export function SwitchedOff({ schedules }: { readonly schedules: readonly Schedule[] }) {
  if (schedules.length === 0) return null;
  return (
    <section class="notice care">
      <p>These schedules are disabled because their owner may no longer run them:</p>
      <ul>
        {schedules.map(({ id, name, offReason }) => (
          <li key={id}>
            <a href={`/schedules/${id}`}>{name}</a>: {offReason}
          </li>
        ))}
      </ul>
      <p>To keep one, enable it: you become its owner.</p>
    </section>
  );
}

/** Schedules as a table: job, servers, next time, last result. */
export function ScheduleTable({
  schedules,
  names,
  now,
  zone = null,
  select,
  mayAct = false,
  mayChange,
  paging,
  sorting,
}: {
  readonly schedules: readonly ScheduleOverview[];
  /** Of the servers that they select. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  /** Of the reader; null: not known. */
  readonly zone?: string | null;
  /** The form of the boxes before the rows; absent: none. */
  readonly select?: string | undefined;
  readonly mayAct?: boolean;
  /** Whether the user may run, edit and delete it: each then has a switch and a menu. */
  readonly mayChange?: ((schedule: Schedule) => boolean) | undefined;
  readonly paging?: TablePaging;
  readonly sorting?: Sorting<ScheduleOrder['by']>;
}) {
  return (
    <DataTable
      rows={schedules}
      keyOf={({ schedule }) => schedule.id}
      select={select === undefined ? undefined : { form: select, label: ({ schedule }) => schedule.name }}
      empty={
        <Empty
          icon="calendar-clock"
          title="No schedules yet"
          action={
            mayAct ? (
              <a class="button quiet" href="/schedules/new?type=backup">
                Back up every night
              </a>
            ) : null
          }
        >
          A schedule starts jobs at fixed times: backups every night, or updates on Sundays.
        </Empty>
      }
      paging={paging}
      columns={[
        {
          head: 'Schedule',
          sort: sorting?.sort('name'),
          cell: ({ schedule: { id, name, jobType } }) => (
            <>
              <a href={`/schedules/${id}`}>{name}</a>
              <span class="under desk">{jobTitle(jobType)}</span>
            </>
          ),
        },
        {
          head: 'Servers',
          kind: 'rest',
          phone: 'hide',
          cell: ({ schedule }) => <Selected selector={schedule.selector} names={names} />,
        },
        {
          head: 'When',
          kind: 'line',
          phone: 'line',
          sort: sorting?.sort('next'),
          cell: ({ schedule, nextRunAt }) => (
            <>
              <When cron={schedule.cron} next={nextRunAt ?? now} zone={zone} />
              <span class="phone"> · {jobTitle(schedule.jobType)}</span>
              <span class="under desk">
                <Next {...{ schedule, nextRunAt, now }} />
              </span>
            </>
          ),
        },
        {
          head: 'Last',
          phone: 'label',
          cell: ({ schedule, lastRun, nextRunAt }) => (
            <>
              {lastRun === null ? <span class="quiet">not yet</span> : <LastRun run={lastRun} now={now} />}
              <span class="phone"> · {nextWords(schedule, nextRunAt, now)}</span>
            </>
          ),
        },
        {
          head: 'Last 14 runs',
          phone: 'hide',
          cell: ({ latestRuns }) => (latestRuns.length === 0 ? null : <LatestRuns runs={latestRuns} />),
        },
        mayChange !== undefined && {
          head: 'Actions',
          kind: 'actions',
          cell: ({ schedule }) => (mayChange(schedule) ? <ScheduleActions schedule={schedule} /> : null),
        },
      ]}
    />
  );
}

export const RunNow = ({ id }: { readonly id: number }) => (
  <form method="post" action={`/schedules/${id}/run`}>
    <button type="submit">
      <Icon name="play" />
      Run now
    </button>
  </form>
);

const ScheduleActions = ({ schedule: { id, name, enabled } }: { readonly schedule: Schedule }) => (
  <div class="row">
    <Switch action={`/schedules/${id}`} enabled={enabled} about={name} fields={{ back: '/schedules' }} />
    <RowMenu id={`schedule-${id}`} about={name}>
      <RunNow id={id} />
      <a href={`/schedules/${id}/edit`}>
        <Icon name="pencil" />
        Edit…
      </a>
      <hr />
      <a href={`/schedules/${id}#delete`}>
        <Icon name="trash-2" />
        Delete…
      </a>
    </RowMenu>
  </div>
);

function Next({
  schedule,
  nextRunAt,
  now,
}: Pick<ScheduleOverview, 'schedule' | 'nextRunAt'> & { readonly now: Instant }) {
  return schedule.enabled && nextRunAt !== null ? (
    <At at={nextRunAt} now={now} />
  ) : (
    <span title={schedule.offReason ?? undefined}>{nextWords(schedule, nextRunAt, now)}</span>
  );
}

/** Such as `next in 10 h`. */
function nextWords({ enabled, offReason }: Schedule, next: Instant | null, now: Instant): string {
  if (!enabled) return offReason === null ? 'disabled' : 'disabled by Drover';
  return next === null ? 'no more runs' : `next in ${duration(Math.max(0, next - now))}`;
}
