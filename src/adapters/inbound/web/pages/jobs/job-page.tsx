import type { ComponentChildren } from 'preact';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { isCancellable, isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { By } from '../../components/origin.tsx';
import { JobState } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';
import { JobResultView } from './job-result.tsx';
import { currentOf } from './job-words.ts';
import { PlanActions, type PlanForm } from './plan-actions.tsx';
import { mayBeRepeated } from './repeat-job.ts';

interface PartProps {
  readonly job: Job;
  readonly now: Instant;
}

/** A job's state; replaced whenever it changes. */
export function JobStatePart({ job, now }: PartProps) {
  const going = !isTerminal(job.status);
  return (
    <div id="job-state">
      <p class="row">
        <JobState status={job.status} />
        {going && job.percent !== null ? (
          <>
            <progress max={100} value={job.percent} aria-label="Progress" /> {job.percent} %
          </>
        ) : null}
        <span class="quiet">
          {going && job.cancelRequestedAt !== null ? 'Stopping. ' : ''}
          {currentOf(job)}
        </span>
      </p>
      {job.error ? (
        <p class="notice bad">
          {job.error.detail} <code>{job.error.code}</code>{' '}
          <a href={`/docs/errors#${job.error.code}`}>How to fix it</a>
        </p>
      ) : null}
      {job.summary && job.summary !== job.error?.detail ? <p>{job.summary}</p> : null}
      <dl class="tiles">
        <Fact name="Server">
          <a href={`/servers/${job.serverId}`}>{job.serverName}</a>
        </Fact>
        <Fact name="Requested">
          <Ago at={job.createdAt} now={now} /> by{' '}
          <a href={`/jobs?by=${encodeURIComponent(job.requestedBy)}`}>
            <By label={job.requestedBy} />
          </a>
          {job.scheduled ? <span class="tag">scheduled</span> : null}
        </Fact>
        <Fact name="Duration">
          {job.startedAt === null ? (
            '–'
          ) : (
            <span data-since={going ? job.startedAt : undefined}>
              {duration((job.finishedAt ?? now) - job.startedAt)}
            </span>
          )}
        </Fact>
        {paramWords(job).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </div>
  );
}

function paramWords({ params }: Job): readonly (readonly [string, ComponentChildren])[] {
  const words: (readonly [string, ComponentChildren])[] = [];
  if (params.template !== undefined) {
    words.push(['Template', <a href={`/templates/${params.template}`}>{params.template}</a>]);
  }
  if (params.sourceFilter !== null) words.push(['Of', <span class="mono">{params.sourceFilter}</span>]);
  if (params.service !== null) words.push(['Service', <span class="mono">{params.service}</span>]);
  if (params.osSteps !== null) words.push(['Steps', params.osSteps.join(', ')]);
  if (params.graceSeconds !== undefined) words.push(['Grace', `${params.graceSeconds} s`]);
  if (params.sample !== undefined) words.push(['Sample', params.sample]);
  if (params.prune) words.push(['Old images', 'removed']);
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

interface OutcomeProps extends PartProps {
  readonly mayAct: boolean;
  /** Refused input of applying a plan. */
  readonly form: PlanForm;
}

/** A job's result, and actions. */
export function JobOutcomePart({ job, now, mayAct, form }: OutcomeProps) {
  return (
    <div id="job-outcome">
      <JobResultView job={job} />
      {mayAct ? <Actions {...{ job, now, form }} /> : null}
    </div>
  );
}

function Actions({ job, now, form }: Omit<OutcomeProps, 'mayAct'>) {
  if (!isTerminal(job.status)) {
    if (!isCancellable(job)) return null;
    return (
      <form method="post" action={`/jobs/${job.id}/cancel`}>
        <button type="submit" class="danger">
          Cancel this job
        </button>
      </form>
    );
  }
  return (
    <>
      {job.params.dryRun && job.status === 'success' ? <PlanActions {...{ job, now, form }} /> : null}
      {mayBeRepeated(job) ? (
        <form method="post" action={`/jobs/${job.id}/again`} class="actions">
          <button type="submit" class="quiet">
            {job.params.dryRun ? 'New dry run' : takesPlan(job.jobType) ? 'New dry run' : 'Retry'}
          </button>
        </form>
      ) : null}
    </>
  );
}
