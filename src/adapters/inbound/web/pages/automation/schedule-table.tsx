import type {
  ScheduleOrder,
  ScheduleOverview,
} from '../../../../../application/automation/list-schedules.ts';
import { totalOf } from '../../../../../domain/automation/batch.ts';
import type { RunOutcome, Schedule, ScheduleRun } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, duration } from '../../../../../domain/base/spans.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { HeatStrip } from '../../components/heat-strip.tsx';
import { Icon } from '../../components/icon.tsx';
import { RowMenu } from '../../components/row-actions.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { Status, stateWord, type Tone, toneOf } from '../../components/status.tsx';
import { Switch } from '../../components/switch.tsx';
import { Ago, At, LocalTimes, timeText } from '../../components/time.tsx';
import { partlyFailed, Selected } from './batch-rows.tsx';
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

/** In two lines: the result, and when and where it was. */
const LastRun = ({ run, now }: { readonly run: ScheduleRun; readonly now: Instant }) => (
  <>
    <Result run={run} />{' '}
    <span class="under" title={run.detail ?? undefined}>
      <Ago at={run.slotAt} now={now} />
      <span class="desk">
        {' · '}
        <RunLink run={run} />
      </span>
    </span>
  </>
);

const RunLink = ({ run: { jobId, batchId } }: { readonly run: ScheduleRun }) => (
  <>
    {jobId === null ? null : <a href={`/jobs/${jobId}`}>job {jobId}</a>}
    {batchId === null ? null : <a href={`/batches/${batchId}`}>batch {batchId}</a>}
    {jobId === null && batchId === null ? <span class="quiet">not started</span> : null}
  </>
);

const TONES = {
  starting: 'busy',
  // The result is unknown: the job or batch was deleted.
  started: 'off',
  skipped: 'care',
  refused: 'bad',
  missed: 'care',
} as const satisfies Record<RunOutcome, Tone>;

/** The status of its job or batch; if none started, the outcome of the slot. */
function resultOf({ outcome, result, members }: ScheduleRun): readonly [Tone, string] {
  if (result === undefined) return [TONES[outcome], outcome];
  if (result === 'failed' && members !== undefined) return partlyFailed(members.counts);
  return result === 'stopped' ? ['bad', result] : [toneOf(result), stateWord(result)];
}

function Result({ run }: { readonly run: ScheduleRun }) {
  const [tone, word] = resultOf(run);
  return <Status tone={tone}>{word}</Status>;
}

/** The runs of a schedule, the newest first. */
export const RunTable = ({ runs, now }: { readonly runs: readonly ScheduleRun[]; readonly now: Instant }) => (
  <DataTable
    rows={runs}
    keyOf={({ id }) => id}
    empty="No runs yet."
    columns={[
      {
        head: 'Run',
        cell: (run) => (
          <>
            <RunLink run={run} /> {run.manual ? <span class="tag">manual</span> : null}
          </>
        ),
      },
      { head: 'Result', kind: 'state', cell: (run) => <Result run={run} /> },
      { head: 'Started', kind: 'time', cell: ({ slotAt }) => <Ago at={slotAt} now={now} /> },
      { head: 'Details', kind: 'text', cell: (run) => <LocalTimes text={detailOf(run)} /> },
    ]}
  />
);

/** Such as `42 servers, 1 failed: mail-02`. */
function detailOf({ detail, members }: ScheduleRun): string | null {
  if (detail !== null || members === undefined) return detail;
  const { counts, failed } = members;
  const rest = counts.failed - failed.length;
  return [
    count(totalOf(counts), 'server'),
    counts.failed === 0
      ? null
      : `${counts.failed} failed: ${failed.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    counts.skipped === 0 ? null : `${counts.skipped} skipped`,
    counts.cancelled === 0 ? null : `${counts.cancelled} cancelled`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

const placeOf = ({ jobId, batchId, scheduleId }: ScheduleRun): string =>
  batchId === null ? (jobId === null ? `/schedules/${scheduleId}` : `/jobs/${jobId}`) : `/batches/${batchId}`;

const MAX_CELLS = 14;
const NO_RUN = { tone: 'off', title: 'no run' } as const;

/** The latest runs as a strip, the oldest first. */
export function LatestRuns({
  runs,
  cells = MAX_CELLS,
}: {
  readonly runs: readonly ScheduleRun[];
  readonly cells?: number;
}) {
  const latest = runs.slice(0, cells).toReversed();
  const results = latest.map((run) => ({ run, is: resultOf(run) }));
  const succeeded = latest.filter(({ result }) => result === 'success').length;
  const failed = results.filter(({ is: [tone] }) => tone === 'bad' || tone === 'care').length;
  return (
    <div class="latest">
      <HeatStrip
        label={`The last ${count(latest.length, 'run')}: ${succeeded} succeeded, ${failed} failed`}
        cells={[
          ...Array.from({ length: cells - latest.length }, () => NO_RUN),
          ...results.map(({ run, is: [tone, word] }) => ({
            tone,
            title: `${timeText(run.slotAt)}: ${word}`,
            href: placeOf(run),
          })),
        ]}
      />
    </div>
  );
}
