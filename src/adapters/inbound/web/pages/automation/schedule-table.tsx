import type { ScheduleOverview } from '../../../../../application/automation/list-schedules.ts';
import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import type { RunOutcome, Schedule, ScheduleRun } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, RowButton, type TablePaging } from '../../components/data-table.tsx';
import { HeatStrip } from '../../components/heat-strip.tsx';
import { Status } from '../../components/status.tsx';
import { Ago, At, exactly } from '../../components/time.tsx';

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
  now,
  mayAct = false,
  paging,
}: {
  readonly schedules: readonly ScheduleOverview[];
  readonly now: Instant;
  readonly mayAct?: boolean;
  readonly paging?: TablePaging;
}) {
  return (
    <DataTable
      rows={schedules}
      keyOf={({ schedule }) => schedule.id}
      empty="No schedules yet. A schedule can take backups every night, or install updates on Sundays."
      paging={paging}
      columns={[
        {
          head: 'Schedule',
          cell: ({ schedule: { id, name } }) => <a href={`/schedules/${id}`}>{name}</a>,
        },
        { head: 'Job', cell: ({ schedule }) => jobTitle(schedule.jobType) },
        { head: 'Servers', kind: 'text', cell: ({ schedule }) => selectorText(schedule.selector) },
        { head: 'When', kind: 'text', phone: 'hide', cell: ({ schedule }) => cronWords(schedule.cron) },
        { head: 'Next', phone: 'label', cell: (each) => <Next {...each} now={now} /> },
        {
          head: 'Last',
          kind: 'text',
          phone: 'label',
          cell: ({ lastRun }) =>
            lastRun === null ? <span class="quiet">not yet</span> : <Run run={lastRun} now={now} />,
        },
        {
          head: 'Last 14 runs',
          phone: 'hide',
          cell: ({ latestRuns }) => (latestRuns.length === 0 ? null : <LatestRuns runs={latestRuns} />),
        },
        mayAct && {
          head: 'Actions',
          kind: 'actions',
          cell: ({ schedule: { id, name, enabled } }) => (
            <RowButton
              action={`/schedules/${id}/${enabled ? 'disable' : 'enable'}`}
              label={enabled ? 'Disable' : 'Enable'}
              about={name}
              fields={{ back: '/schedules' }}
            />
          ),
        },
      ]}
    />
  );
}

function Next({ schedule, nextRunAt, now }: ScheduleOverview & { readonly now: Instant }) {
  if (!schedule.enabled) {
    return (
      <>
        <Status tone="off">disabled</Status>
        {schedule.offReason === null ? null : <div class="quiet text">{schedule.offReason}</div>}
      </>
    );
  }
  if (nextRunAt === null) return <Status tone="off">never again</Status>;
  return <At at={nextRunAt} now={now} zone={schedule.cron.timeZone} />;
}

const TONES = {
  starting: 'busy',
  started: 'good',
  skipped: 'care',
  refused: 'bad',
  missed: 'care',
} as const satisfies Record<RunOutcome, string>;

/** The result of a schedule's slot, with a link to its job or batch. */
export function Run({ run, now }: { readonly run: ScheduleRun; readonly now: Instant }) {
  return (
    <>
      <Status tone={TONES[run.outcome]}>{run.outcome}</Status> <Ago at={run.slotAt} now={now} />{' '}
      {run.jobId === null ? null : <a href={`/jobs/${run.jobId}`}>job {run.jobId}</a>}
      {run.batchId === null ? null : <a href={`/batches/${run.batchId}`}>batch {run.batchId}</a>}{' '}
      {run.manual ? <span class="tag">by hand</span> : null}{' '}
      {run.detail === null ? null : <span class="quiet">{run.detail}</span>}
    </>
  );
}

const MAX_CELLS = 14;

/** The latest runs as a strip, the oldest first. */
export function LatestRuns({ runs }: { readonly runs: readonly ScheduleRun[] }) {
  const latest = runs.slice(0, MAX_CELLS).toReversed();
  const started = latest.filter(({ outcome }) => outcome === 'started').length;
  return (
    <div class="latest">
      <HeatStrip
        label={`The last ${count(latest.length, 'run')}: ${started} started`}
        cells={latest.map(({ outcome, slotAt }) => ({
          tone: TONES[outcome],
          title: `${exactly(slotAt)}: ${outcome}`,
        }))}
      />
    </div>
  );
}
