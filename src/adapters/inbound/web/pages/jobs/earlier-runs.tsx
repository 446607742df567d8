import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, elapsed } from '../../../../../domain/base/spans.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { type HeatCell, HeatStrip } from '../../components/heat-strip.tsx';
import { toneOf } from '../../components/status.tsx';
import { JobRows } from './job-rows.tsx';

/** How many of a job's type on its server are compared, itself among them. */
export const MAX_RUNS = 20;

const tookOf = ({ startedAt, finishedAt }: Job, now: Instant): number =>
  startedAt === null ? 0 : (finishedAt ?? now) - startedAt;

interface RunsProps {
  /** Newest first. */
  readonly runs: readonly Job[];
  readonly now: Instant;
}

/** One bar a run, the oldest first: its colour is the outcome, its height how long it took. */
export function RunStrip({ runs, now }: RunsProps) {
  const longest = Math.max(1, ...runs.map((run) => tookOf(run, now)));
  const cells = runs.toReversed().map((run): HeatCell => {
    const took = tookOf(run, now);
    const title = `#${run.id}: ${run.status}, ${elapsed(took)}${run.params.dryRun ? ', dry run' : ''}`;
    return {
      tone: toneOf(run.status),
      title,
      href: `/jobs/${run.id}`,
      part: Math.max(0.2, took / longest),
    };
  });
  const failed = runs.filter(({ status }) => status === 'failed').length;
  return (
    <HeatStrip slots={MAX_RUNS} cells={cells} label={`Last ${count(runs.length, 'run')}: ${failed} failed`} />
  );
}

export const EarlierRuns = ({ runs, now, job }: RunsProps & { readonly job: Job }) => (
  <>
    <p class="row">
      <RunStrip runs={runs} now={now} />
      <a href={`/jobs?server=${job.serverId}&type=${job.jobType}`}>
        All runs of {jobTitle(job.jobType)} on {job.serverName}
      </a>
    </p>
    <JobRows jobs={runs} now={now} ofServer />
  </>
);
