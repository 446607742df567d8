import type { Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { type Counter, MAX_STEPS_APART, rateOf } from '../../../../../domain/fleet/activity.ts';
import { NEARLY_FULL_PART } from '../../../../../domain/fleet/fleet-conditions.ts';
import type { Sample } from '../../../../../domain/fleet/sample.ts';
import { SAMPLE_STEPS, type SampleStep } from '../../../../../domain/fleet/sample-steps.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { stateWord } from '../../components/status.tsx';
import { percent } from './server-measures.tsx';

/** What may change a chart. */
const MARKED: readonly Job['jobType'][] = ['os_patch', 'container_patch', 'host_reboot', 'restore'];

type Values = readonly (number | null)[];

interface Series {
  readonly label: string;
  readonly values: Values;
}

/** A moment without a sample ends the lines. */
interface Moment {
  readonly at: Instant;
  readonly sample: Sample | null;
  /** The sample before. */
  readonly before?: Sample | undefined;
}

function withGaps(samples: readonly Sample[], step: SampleStep): readonly Moment[] {
  const { everyMs } = SAMPLE_STEPS[step];
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1];
    const moment = { at: sample.at, sample, before };
    return before !== undefined && sample.at - before.at > MAX_STEPS_APART * everyMs
      ? [{ at: before.at + everyMs, sample: null }, moment]
      : [moment];
  });
}

/** Times without samples, up to now. */
function gapsOf(samples: readonly Sample[], step: SampleStep, now: Instant): readonly (readonly Instant[])[] {
  const ends = [...samples.slice(1).map(({ at }) => at), now];
  return samples.flatMap(({ at }, index) => {
    const end = ends[index] ?? now;
    return end - at > MAX_STEPS_APART * SAMPLE_STEPS[step].everyMs ? [[at, end]] : [];
  });
}

const inSeconds = (at: Instant): number => Math.round(at / 1000);

/** Of the swap; `null` if unknown, or there is none. */
export const swapPercent = ({ activity }: Sample): number | null =>
  activity?.swapTotalBytes && activity.swapUsedBytes !== null
    ? percent({ mount: '', usedBytes: activity.swapUsedBytes, totalBytes: activity.swapTotalBytes })
    : null;

interface Recorded {
  /** The oldest first. */
  readonly samples: readonly Sample[];
  readonly step: SampleStep;
  readonly jobs: readonly Job[];
  readonly cores: number | null;
  readonly now: Instant;
}

/** The lines of more file systems look alike. */
const MAX_LINES = 16;

/** As uPlot takes it: seconds, and a list of values for each line. */
export function chartsOf({ samples, step, jobs, cores, now }: Recorded) {
  const moments = withGaps(samples, step);
  const latest = samples.at(-1)?.disks ?? [];
  const fullest = latest.toSorted((a, b) => percent(b) - percent(a)).slice(0, MAX_LINES);
  const mounts = latest.filter((disk) => fullest.includes(disk)).map(({ mount }) => mount);
  const values = (of: (sample: Sample) => number | null): Values =>
    moments.map(({ sample }) => (sample === null ? null : of(sample)));
  const rates = (counter: Counter): Values =>
    moments.map(({ sample, before }) => {
      const rate = sample === null ? null : rateOf(counter, before, sample, step);
      return rate === null ? null : Math.round(rate);
    });
  const chart = (title: string, unit: string, series: readonly Series[], more: More = {}) => ({
    title,
    unit,
    limit: null,
    series,
    ...more,
  });
  const one = (label: string, of: (sample: Sample) => number | null): readonly Series[] => [
    { label, values: values(of) },
  ];
  return {
    times: moments.map(({ at }) => inSeconds(at)),
    until: inSeconds(now),
    gaps: gapsOf(samples, step, now).map((gap) => gap.map(inSeconds)),
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
        one('Load', ({ load }) => load),
        { limit: cores },
      ),
      chart(
        'Memory used',
        '%',
        one('Memory', ({ memoryUsedBytes: usedBytes, memoryTotalBytes: totalBytes }) =>
          percent({ mount: '', usedBytes, totalBytes }),
        ),
      ),
      chart('Network', 'B/s', [
        { label: 'In', values: rates('receivedBytes') },
        { label: 'Out', values: rates('sentBytes') },
      ]),
      chart('Disk I/O', 'B/s', [
        { label: 'Read', values: rates('readBytes') },
        { label: 'Written', values: rates('writtenBytes') },
      ]),
      chart(
        latest.length > MAX_LINES
          ? `File systems used, the ${MAX_LINES} fullest of ${latest.length}`
          : 'File systems used',
        '%',
        mounts.map((label) => ({
          label,
          values: values(({ disks }) => {
            const disk = disks.find(({ mount }) => mount === label);
            return disk ? percent(disk) : null;
          }),
        })),
        { limit: 100 * NEARLY_FULL_PART },
      ),
      chart('Swap used', '%', one('Swap', swapPercent)),
      chart(
        'Pending updates',
        '',
        [
          { label: 'All', values: values(({ updates }) => updates) },
          { label: 'Security', values: values(({ securityUpdates }) => securityUpdates) },
        ],
        { whole: true },
      ),
    ],
  };
}

interface More {
  /** Where it becomes too much. */
  readonly limit?: number | null;
  /** There is nothing between two whole numbers. */
  readonly whole?: true;
}
