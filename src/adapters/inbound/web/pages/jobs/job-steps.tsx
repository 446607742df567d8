import type { Instant } from '../../../../../domain/base/instant.ts';
import { elapsed } from '../../../../../domain/base/spans.ts';
import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import {
  amountText,
  type PhaseSpan,
  phaseSpans,
  rateText,
  timeLeft,
  usualDuration,
} from '../../../../../domain/jobs/job-pace.ts';
import { Icon } from '../../components/icon.tsx';
import { Took } from '../../components/time.tsx';

interface StepsProps {
  readonly job: Job;
  readonly now: Instant;
}

/** The steps of a job with their durations; of the current one how much is done. */
export function JobSteps({ job, now }: StepsProps) {
  const spans = phaseSpans(job, now);
  if (spans.length === 0) return null;
  return (
    <ol class="steps" aria-label="Steps">
      {spans.map((span, index) => (
        <Step key={span.startedAt} {...{ span, job, now }} isLast={index === spans.length - 1} />
      ))}
    </ol>
  );
}

function Step({
  span,
  job,
  now,
  isLast,
}: StepsProps & { readonly span: PhaseSpan; readonly isLast: boolean }) {
  const going = isLast && !isTerminal(job.status);
  const failed = isLast && job.status === 'failed';
  const [icon, tone, words] = going
    ? (['play', 'busy', 'Running'] as const)
    : failed
      ? (['circle-alert', 'bad', 'Failed'] as const)
      : (['circle-check', 'good', 'Done'] as const);
  return (
    <li aria-current={going ? 'step' : undefined}>
      <span class={tone}>
        <Icon name={icon} />
        <span class="hidden">{words}: </span>
      </span>
      {span.name}{' '}
      <span class="quiet">
        <Took from={span.startedAt} until={going ? null : (span.endedAt ?? now)} now={now} />
      </span>
    </li>
  );
}

/** How much of the current step is done, at which rate, and how long it still takes. */
export function JobPace({ job, now, runs }: StepsProps & { readonly runs: readonly Job[] }) {
  const span = phaseSpans(job, now).at(-1);
  const left = timeLeft(job, now, usualDuration(job, runs));
  if (isTerminal(job.status)) return null;
  const parts = [
    span?.amount ? amountText(span.amount) : null,
    span ? rateText(span) : null,
    left === null ? null : `about ${elapsed(left)} left`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : <span class="quiet">{parts.join(' · ')}</span>;
}
