import type { GetServerHistory } from '../../../../../application/fleet/get-server-history.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { type Counter, rateOf } from '../../../../../domain/fleet/activity.ts';
import { type Sample, stepAt } from '../../../../../domain/fleet/sample.ts';
import type { SampleStep } from '../../../../../domain/fleet/sample-steps.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { size } from '../../components/size.ts';
import { On } from '../../components/time.tsx';
import type { SignedInVisit } from '../../route.ts';
import { CheckNow, mayOperate } from './remedy.tsx';
import { chartsOf } from './server-charts.ts';
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
  const [found, jobs] = await Promise.all([
    deps.getServerHistory.samples(actor, server.id, { step, from, limit: MAX_SAMPLES }),
    deps.listJobs.execute(actor, { serverId: server.id, since: from, limit: MAX_MARKERS, offset: 0 }),
  ]);
  const samples = withoutToday(found, step, now);
  const drawn = chartsOf({ samples, step, jobs: jobs.items, cores: server.facts.cpuCores, now });
  return (
    <>
      <div class="chart-tools">
        {samples.length === 0 ? null : <Legend drawn={drawn} />}
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
      </div>
      {samples.length === 0 ? (
        <Empty
          icon="cpu"
          title="Nothing was recorded in this period"
          action={
            mayOperate(actor, server.id) ? (
              <CheckNow server={server} label="Read them now" icon="refresh-cw" />
            ) : null
          }
        >
          Drover records values with each inventory, every hour.
        </Empty>
      ) : (
        <>
          <div id="charts" data-charts={JSON.stringify(drawn)} hx-morph-skip-children />
          <details>
            <summary>Values as a table</summary>
            <SampleTable samples={samples} step={step} />
          </details>
        </>
      )}
    </>
  );
}

/** What the charts have besides lines of values. */
function Legend({ drawn: { markers, gaps } }: { readonly drawn: ReturnType<typeof chartsOf> }) {
  const keys = [
    markers.some(({ isBad }) => isBad) ? (['bad', 'Failed job'] as const) : null,
    markers.some(({ isBad }) => !isBad) ? (['', 'Job'] as const) : null,
    ['limit', 'Limit'] as const,
    gaps.length > 0 ? (['gap', 'Not recorded'] as const) : null,
  ].filter((key) => key !== null);
  return (
    <ul class="chart-keys">
      {keys.map(([key, words]) => (
        <li key={key}>
          <i class={key} /> {words}
        </li>
      ))}
    </ul>
  );
}

/** Of a day that is not over there is no value like those of the others: among them it would be a jump. */
const withoutToday = (samples: readonly Sample[], step: SampleStep, now: Instant): readonly Sample[] => {
  const over = step === 'day' ? samples.filter(({ at }) => at < stepAt('day', now)) : samples;
  return over.length === 0 ? samples : over;
};

/** A sample, and the one before it. */
type Row = readonly [sample: Sample, before: Sample | undefined];

const pair = (counters: readonly Counter[], [sample, before]: Row, step: SampleStep): string => {
  const rates = counters.map((counter) => rateOf(counter, before, sample, step));
  return rates.every((rate) => rate === null)
    ? 'unknown'
    : rates.map((rate) => (rate === null ? '–' : `${size(Math.round(rate))}/s`)).join(' · ');
};

const SampleTable = ({
  samples,
  step,
}: {
  readonly samples: readonly Sample[];
  readonly step: SampleStep;
}) => (
  <DataTable
    rows={samples.map((sample, index): Row => [sample, samples[index - 1]]).toReversed()}
    keyOf={([{ at }]) => at}
    max={MAX_ROWS}
    columns={[
      { head: 'Time', cell: ([{ at }]) => <On at={at} otherwise="" /> },
      { head: 'Load', kind: 'number', cell: ([{ load }]) => load },
      { head: 'Memory', kind: 'number', cell: ([{ memoryUsedBytes }]) => size(memoryUsedBytes) },
      {
        head: 'Swap',
        kind: 'number',
        cell: ([{ activity }]) => size(activity?.swapUsedBytes ?? null),
      },
      {
        head: 'Network in · out',
        phone: 'label',
        cell: (row) => pair(['receivedBytes', 'sentBytes'], row, step),
      },
      {
        head: 'Disk read · written',
        phone: 'label',
        cell: (row) => pair(['readBytes', 'writtenBytes'], row, step),
      },
      {
        head: 'File systems',
        kind: 'text',
        cell: ([{ disks }]) => disks.map((disk) => `${disk.mount} ${percent(disk)} %`).join(', '),
      },
      { head: 'Updates', kind: 'number', cell: ([{ updates }]) => updates ?? 'unknown' },
      { head: 'Security', kind: 'number', cell: ([{ securityUpdates }]) => securityUpdates ?? 'unknown' },
      { head: 'Containers', kind: 'number', cell: ([{ containers }]) => containers ?? '–' },
    ]}
  />
);
