import { totalOf } from '../../../../../domain/automation/batch.ts';
import type { RunOutcome, ScheduleRun } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { DataTable } from '../../components/data-table.tsx';
import { HeatStrip } from '../../components/heat-strip.tsx';
import { Status, stateWord, type Tone, toneOf } from '../../components/status.tsx';
import { Ago, LocalTimes, timeText } from '../../components/time.tsx';
import { partlyFailed } from './batch-rows.tsx';

/** In two lines: the result, and when and where it was. */
export const LastRun = ({ run, now }: { readonly run: ScheduleRun; readonly now: Instant }) => (
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
