import type { ComponentChildren } from 'preact';
import type { Batch } from '../../../../../domain/automation/batch.ts';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { count, elapsed, grouped } from '../../../../../domain/base/spans.ts';
import { worseIn } from '../../../../../domain/fleet/downgrade.ts';
import type { Approval } from '../../../../../domain/jobs/approval.ts';
import { isCancellable, isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { By } from '../../components/origin.tsx';
import { JobState } from '../../components/status.tsx';
import { Ago, LocalTimes, Took } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';
import { RunStrip } from './earlier-runs.tsx';
import { Failure } from './failure.tsx';
import type { ErrorLine } from './job-log.tsx';
import { JobResultView } from './job-result.tsx';
import { JobPace, JobSteps } from './job-steps.tsx';
import { currentOf } from './job-words.ts';
import { PlanActions, type PlanForm, PlanNotice } from './plan-actions.tsx';
import { mayBeRepeated, repeatLabel, repeatsAsDryRun } from './repeat-job.ts';

interface PartProps {
  readonly job: Job;
  readonly now: Instant;
}

/** Each part of the page has an id, and is replaced whenever it changes. */
export const JobStatePart = ({ job }: Pick<PartProps, 'job'>) => (
  <span id="job-state">
    <JobState status={job.status} />
  </span>
);

export function JobActionsPart({ job, mayAct }: { readonly job: Job; readonly mayAct: boolean }) {
  const startsDry = repeatsAsDryRun(job);
  return (
    <span id="job-actions" class="row">
      {mayAct && isTerminal(job.status) && worseIn(job).length > 0 ? (
        <form method="post" action={`/jobs/${job.id}/downgrade`}>
          <button type="submit" title="Starts a dry run, and changes nothing before you apply its plan">
            <Icon name="rotate-ccw" /> Plan the downgrade
          </button>
        </form>
      ) : null}
      {mayAct && isCancellable(job) ? (
        <form method="post" action={`/jobs/${job.id}/cancel`}>
          <button type="submit" class="danger">
            <Icon name="ban" /> Cancel
          </button>
        </form>
      ) : null}
      {mayAct && isTerminal(job.status) && mayBeRepeated(job) ? (
        <form method="post" action={`/jobs/${job.id}/again`}>
          <button
            type="submit"
            class={job.status === 'failed' ? undefined : 'quiet'}
            title={startsDry ? 'Starts a dry run, and changes nothing before you apply its plan' : undefined}
          >
            <Icon name="rotate-cw" /> {repeatLabel(job)}
          </button>
        </form>
      ) : null}
    </span>
  );
}

interface StartedByProps {
  readonly schedule: Pick<Schedule, 'id' | 'name'> | null;
  readonly approval: Pick<Approval, 'id'> | null;
  readonly batch: Pick<Batch, 'id'> | null;
}

/** Links to the schedule, the batch and the request that led to a job. */
export const StartedBy = ({ schedule, approval, batch }: StartedByProps) => (
  <>
    {schedule ? (
      <>
        {' '}
        · by schedule <a href={`/schedules/${schedule.id}`}>{schedule.name}</a>
      </>
    ) : null}
    {batch ? (
      <>
        {' '}
        · <a href={`/batches/${batch.id}`}>batch {batch.id}</a>
      </>
    ) : null}
    {approval ? (
      <>
        {' '}
        · <a href={`/approvals/${approval.id}`}>request {approval.id}</a>
      </>
    ) : null}
  </>
);

interface FactsProps extends PartProps {
  /** Of its type on its server, newest first, with this one. */
  readonly runs: readonly Job[];
  /** The first line of the log that reports an error, if it is shown. */
  readonly line: ErrorLine | null;
}

/** Why it failed or how far it is, and when it ran. */
export function JobFactsPart({ job, now, runs, line }: FactsProps) {
  const going = !isTerminal(job.status);
  const success = runs.find(
    ({ id, status, params }) => id !== job.id && status === 'success' && !params.dryRun,
  );
  return (
    <div id="job-facts">
      <Failure job={job} line={line} />
      <section class="card">
        <div class="body">
          <Progress {...{ job, now, runs }} />
          <dl class="kv">
            <Fact name={job.startedAt === null ? 'Requested' : 'Started'}>
              <Ago at={job.startedAt ?? job.createdAt} now={now} />
            </Fact>
            {job.startedAt === null ? null : (
              <>
                <Fact name="Duration">
                  <Took from={job.startedAt} until={going ? null : (job.finishedAt ?? now)} now={now} />
                </Fact>
                <Fact name="Waited" desk>
                  {elapsed(job.startedAt - job.createdAt)}
                </Fact>
              </>
            )}
            <Fact name="Requested by">
              <a href={`/jobs?by=${encodeURIComponent(job.requestedBy)}`}>
                <By label={job.requestedBy} />
              </a>
            </Fact>
            {job.params.planId === undefined ? null : (
              <Fact name="Plan">
                from <a href={`/jobs/${job.params.planId}`}>dry run #{job.params.planId}</a>
              </Fact>
            )}
            {success ? (
              <Fact name="Last success">
                <a href={`/jobs/${success.id}`}>
                  <Ago at={success.finishedAt} now={now} />
                </a>
              </Fact>
            ) : null}
            {runs.length > 1 ? (
              <Fact name={`Last ${count(runs.length, 'run')}`}>
                <RunStrip runs={runs} now={now} />
              </Fact>
            ) : null}
          </dl>
          <JobSteps job={job} now={now} />
        </div>
      </section>
    </div>
  );
}

function Progress({ job, now, runs }: Omit<FactsProps, 'line'>) {
  const going = !isTerminal(job.status);
  const words = going ? currentOf(job) : job.summary === job.error?.detail ? null : job.summary;
  if (!words) return null;
  return (
    <p class="row progress">
      {going && job.percent !== null ? (
        <>
          <progress max={100} value={job.percent} aria-label="Progress" /> {job.percent} %
        </>
      ) : null}
      <span>
        {going && job.cancelRequestedAt !== null ? 'Stopping. ' : ''}
        <LocalTimes text={words} />
      </span>
      <JobPace {...{ job, now, runs }} />
    </p>
  );
}

interface OutcomeProps extends PartProps {
  readonly mayAct: boolean;
  /** Refused input of applying a plan. */
  readonly form: PlanForm;
}

/** What a job changed, or would change. */
export const JobOutcomePart = ({ job, now, mayAct }: Omit<OutcomeProps, 'form'>) => (
  <div id="job-outcome">
    {isPlan(job) && mayAct ? <PlanNotice job={job} now={now} /> : null}
    <JobResultView job={job} />
    {job.result === null ? (
      <Empty icon="list-checks">{isTerminal(job.status) ? 'No changes.' : 'No result yet.'}</Empty>
    ) : null}
  </div>
);

const isPlan = ({ params, status }: Job): boolean => params.dryRun && status === 'success';

/** The plan to apply, at the bottom of the window. */
export function JobApplyPart({ job, now, mayAct, form }: OutcomeProps) {
  const plan = isPlan(job) && mayAct ? PlanActions({ job, now, form }) : null;
  return (
    <div id="job-apply" class={plan === null ? undefined : 'decide'}>
      {plan}
    </div>
  );
}

/** What it was asked to do. */
export const JobParameters = ({ job }: { readonly job: Job }) => (
  <dl class="facts">
    <dt>Job</dt>
    <dd>
      {job.id} <code>{job.jobType}</code>
    </dd>
    <dt>Dry run</dt>
    <dd>{job.params.dryRun ? 'yes' : 'no'}</dd>
    {paramWords(job).map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
);

function paramWords({ params }: Job): readonly (readonly [string, ComponentChildren])[] {
  const words: (readonly [string, ComponentChildren])[] = [];
  if (params.template !== undefined) {
    words.push(['Template', <a href={`/templates/${params.template}`}>{params.template}</a>]);
  }
  if (params.sourceFilter !== null) words.push(['Source', <span class="mono">{params.sourceFilter}</span>]);
  if (params.service !== null) words.push(['Service', <span class="mono">{params.service}</span>]);
  if (params.osSteps !== null) words.push(['Steps', params.osSteps.join(', ')]);
  if (params.graceSeconds !== undefined) words.push(['Grace period', `${params.graceSeconds} s`]);
  if (params.sample !== undefined) words.push(['Sample', params.sample]);
  if (params.guard !== undefined) words.push(['Guard', params.guard ? 'saved first' : 'not saved']);
  if (params.observeMinutes !== undefined) words.push(['Observed for', `${params.observeMinutes} min`]);
  if (params.updateJobId !== undefined) {
    words.push(['Update', <a href={`/jobs/${params.updateJobId}`}>job {params.updateJobId}</a>]);
  }
  if (params.prune) words.push(['Old images', 'removed']);
  if (params.waitForHostMinutes !== undefined)
    words.push(['Waits for the server', `at most ${grouped(params.waitForHostMinutes)} min`]);
  if (params.planId !== undefined) {
    words.push([
      'Plan',
      <>
        exactly as in <a href={`/jobs/${params.planId}`}>job {params.planId}</a>
      </>,
    ]);
  }
  return words;
}
