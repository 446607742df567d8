import type { GetServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { NEARLY_FULL_PART } from '../../../../../domain/fleet/fleet-conditions.ts';
import { SAMPLE_STEPS, type Sample, type SampleStep } from '../../../../../domain/fleet/sample.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { size } from '../../components/size.ts';
import { stateWord } from '../../components/status.tsx';
import { On } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';
import { percent } from './server-measures.tsx';

export interface ServerMetricsDeps {
  readonly getServerHistory: Pick<GetServerHistory, 'samples'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
}

const RANGES = {
  '24h': { label: '24 hours', ms: DAY, step: 'hour' },
  '7d': { label: '7 days', ms: 7 * DAY, step: 'hour' },
  '30d': { label: '30 days', ms: 30 * DAY, step: 'hour' },
  '1y': { label: '1 year', ms: 365 * DAY, step: 'day' },
} as const satisfies Record<
  string,
  { readonly label: string; readonly ms: number; readonly step: SampleStep }
>;
type Range = keyof typeof RANGES;
const isRange = (raw: string | null): raw is Range => raw !== null && Object.hasOwn(RANGES, raw);

/** All that there can be in the longest range. */
const MAX_SAMPLES = 721;
const MAX_MARKERS = 200;
/** What may change a chart. */
const MARKED: readonly Job['jobType'][] = ['os_patch', 'container_patch', 'host_reboot', 'restore'];
/** Rows of the table that a reader without JavaScript sees at once. */
const MAX_ROWS = 48;

/** What a server was like over time: charts, and the same as a table. */
export async function serverMetrics(
  deps: ServerMetricsDeps,
  server: Server,
  { visitor: { actor }, query, now }: SignedInVisit,
) {
  const asked = query.get('range');
  const range = isRange(asked) ? asked : '7d';
  const { ms, step } = RANGES[range];
  const from = now - ms;
  const [samples, jobs] = await Promise.all([
    deps.getServerHistory.samples(actor, server.id, { step, from, limit: MAX_SAMPLES }),
    deps.listJobs.execute(actor, { serverId: server.id, since: from, limit: MAX_MARKERS, offset: 0 }),
  ]);
  return (
    <>
      <nav class="segments" aria-label="Range">
        {Object.entries(RANGES).map(([key, { label }]) => (
          <a
            key={key}
            href={`/servers/${server.id}/metrics?range=${key}`}
            aria-current={key === range ? 'true' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      {samples.length === 0 ? (
        <Empty icon="cpu">
          Nothing was recorded in this period. Drover records values with each inventory, every hour.
        </Empty>
      ) : (
        <>
          <div
            id="charts"
            data-charts={JSON.stringify(
              chartsOf(
                { moments: withGaps(samples, step), gaps: gapsOf(samples, { step, now }) },
                jobs.items,
                server.facts.cpuCores,
                now,
              ),
            )}
            hx-morph-skip-children
          />
          <details>
            <summary>Values as a table</summary>
            <SampleTable samples={samples.toReversed()} />
          </details>
        </>
      )}
    </>
  );
}

interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** A moment without a sample ends the lines. */
interface Moment {
  readonly at: Instant;
  readonly sample: Sample | null;
}

/** A sample may be late, and one may be missing, before the lines have a gap. */
const MAX_STEPS_APART = 2.5;

function withGaps(samples: readonly Sample[], step: SampleStep): readonly Moment[] {
  const { everyMs } = SAMPLE_STEPS[step];
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1]?.at ?? sample.at;
    const moment = { at: sample.at, sample };
    return sample.at - before > MAX_STEPS_APART * everyMs
      ? [{ at: before + everyMs, sample: null }, moment]
      : [moment];
  });
}

/** Times without samples, up to now. */
const gapsOf = (
  samples: readonly Sample[],
  { step, now }: { readonly step: SampleStep; readonly now: Instant },
): readonly Gap[] => {
  const ends = [...samples.slice(1).map(({ at }) => at), now];
  return samples.flatMap(({ at }, index) => {
    const end = ends[index] ?? now;
    return end - at > MAX_STEPS_APART * SAMPLE_STEPS[step].everyMs ? [[at, end] as const] : [];
  });
};

type Gap = readonly [from: Instant, to: Instant];

interface Recorded {
  readonly moments: readonly Moment[];
  readonly gaps: readonly Gap[];
}

const inSeconds = (at: Instant): number => Math.round(at / 1000);

/** As uPlot takes it: seconds, and a list of values for each line. */
function chartsOf({ moments, gaps }: Recorded, jobs: readonly Job[], cores: number | null, now: Instant) {
  const times = moments.map(({ at }) => inSeconds(at));
  const mounts = (moments.at(-1)?.sample?.disks ?? []).map(({ mount }) => mount);
  const values = (of: (sample: Sample) => number | null): readonly (number | null)[] =>
    moments.map(({ sample }) => (sample === null ? null : of(sample)));
  const chart = (title: string, unit: string, series: readonly Series[], limit: number | null = null) => ({
    title,
    unit,
    limit,
    series,
  });
  return {
    times,
    until: inSeconds(now),
    gaps: gaps.map((gap) => gap.map(inSeconds)),
    markers: jobs
      .filter(({ jobType, params, startedAt }) => MARKED.includes(jobType) && !params.dryRun && startedAt)
      .map(({ id, jobType, status, finishedAt }) => ({
        at: inSeconds(finishedAt ?? now),
        href: `/jobs/${id}`,
        label: `${jobTitle(jobType)}: ${stateWord(status)}`,
        isBad: status === 'failed',
      })),
    charts: [
      chart(
        cores === null ? 'Load' : `Load, ${count(cores, 'core')}`,
        '',
        [{ label: 'Load', values: values(({ load }) => load) }],
        cores,
      ),
      chart('Memory used', '%', [
        {
          label: 'Memory',
          values: values(({ memoryUsedBytes: usedBytes, memoryTotalBytes: totalBytes }) =>
            percent({ mount: '', usedBytes, totalBytes }),
          ),
        },
      ]),
      chart(
        'File systems used',
        '%',
        mounts.map((label) => ({
          label,
          values: values(({ disks }) => {
            const disk = disks.find(({ mount }) => mount === label);
            return disk ? percent(disk) : null;
          }),
        })),
        100 * NEARLY_FULL_PART,
      ),
      chart('Pending updates', '', [
        { label: 'All', values: values(({ updates }) => updates) },
        { label: 'Security', values: values(({ securityUpdates }) => securityUpdates) },
      ]),
    ],
  };
}

const SampleTable = ({ samples }: { readonly samples: readonly Sample[] }) => (
  <DataTable
    rows={samples}
    keyOf={({ at }) => at}
    max={MAX_ROWS}
    columns={[
      { head: 'Time', cell: ({ at }) => <On at={at} otherwise="" /> },
      { head: 'Load', kind: 'number', cell: ({ load }) => load },
      { head: 'Memory', kind: 'number', cell: ({ memoryUsedBytes }) => size(memoryUsedBytes) },
      {
        head: 'File systems',
        kind: 'text',
        cell: ({ disks }) => disks.map((disk) => `${disk.mount} ${percent(disk)} %`).join(', '),
      },
      { head: 'Updates', kind: 'number', cell: ({ updates }) => updates ?? 'unknown' },
      { head: 'Security', kind: 'number', cell: ({ securityUpdates }) => securityUpdates ?? 'unknown' },
      { head: 'Containers', kind: 'number', cell: ({ containers }) => containers ?? '–' },
    ]}
  />
);
