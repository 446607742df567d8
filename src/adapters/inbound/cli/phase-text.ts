import type { Instant } from '../../../domain/base/instant.ts';
import { elapsed } from '../../../domain/base/spans.ts';
import type { Job } from '../../../domain/jobs/job.ts';
import { amountText, type PhaseSpan, phaseSpans, rateText } from '../../../domain/jobs/job-pace.ts';
import { table } from './table.ts';

/** A job's steps, a line each. */
export function phasesText(job: Job, now: Instant): string {
  const spans = phaseSpans(job, now);
  if (spans.length === 0) return '';
  const rows = spans.map(({ name, startedAt, endedAt }) => [name, elapsed((endedAt ?? now) - startedAt)]);
  return `\n${table(['STEP', 'TOOK'], rows)}`;
}

/** `1.2 GiB of 3.4 GiB, 12 MiB/s, 3 min 10 s left` of the current step; empty if unknown. */
export function paceText(job: Job, now: Instant): string {
  const span = phaseSpans(job, now).at(-1);
  if (!span || span.endedAt !== null || span.amount === null) return '';
  return [amountText(span.amount), rateText(span), leftText(span)].filter(Boolean).join(', ');
}

const leftText = ({ leftMs }: PhaseSpan): string | null =>
  leftMs === null ? null : `${elapsed(leftMs)} left`;
