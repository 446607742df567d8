import { formatBytes } from '../base/format-bytes.ts';
import { type Instant, SECOND } from '../base/instant.ts';
import { isTerminal, type Job } from './job.ts';
import type { Amount, JobPhase } from './phases.ts';

export interface PhaseSpan extends JobPhase {
  readonly endedAt: Instant | null;
  /** Of the current phase, in its unit; `null` if unknown. */
  readonly perSecond: number | null;
  /** Until the current phase is over at this rate, in milliseconds; `null` if unknown. */
  readonly leftMs: number | null;
}

/** A job's phases with their ends, and the rate of the current one. */
export function phaseSpans(
  { phases, status, finishedAt }: Pick<Job, 'phases' | 'status' | 'finishedAt'>,
  now: Instant,
): readonly PhaseSpan[] {
  return phases.map((phase, index) => {
    const endedAt = phases[index + 1]?.startedAt ?? finishedAt;
    const pace = status === 'running' && endedAt === null ? paceOf(phase, now) : null;
    return { ...phase, endedAt, perSecond: pace?.perSecond ?? null, leftMs: pace?.leftMs ?? null };
  });
}

/** A rate over less time says little. */
const MIN_PACE_MS = SECOND;

function paceOf({ amount, startedAt }: JobPhase, now: Instant) {
  const passed = now - startedAt;
  if (amount === null || amount.done <= 0 || passed < MIN_PACE_MS) return null;
  const perSecond = (amount.done / passed) * SECOND;
  return { perSecond, leftMs: (Math.max(0, amount.total - amount.done) / perSecond) * SECOND };
}

/** How long jobs like this one take: the median of the earlier runs that succeeded; `null` without one. */
export function usualDuration(job: Job, runs: readonly Job[]): number | null {
  const took = runs
    .filter(
      ({ id, jobType, status, params }) =>
        id !== job.id &&
        jobType === job.jobType &&
        status === 'success' &&
        params.dryRun === job.params.dryRun &&
        params.sourceFilter === job.params.sourceFilter,
    )
    .flatMap(({ startedAt, finishedAt }) =>
      startedAt === null || finishedAt === null ? [] : [finishedAt - startedAt],
    )
    .sort((one, other) => one - other);
  return took[Math.floor((took.length - 1) / 2)] ?? null;
}

/** How long a running job still takes, judged by its current phase's rate, or by earlier runs; `null` if unknown. */
export function timeLeft(job: Job, now: Instant, usualMs: number | null): number | null {
  if (isTerminal(job.status) || job.startedAt === null) return null;
  const byRate = phaseSpans(job, now).at(-1)?.leftMs ?? null;
  if (byRate !== null) return byRate;
  const left = usualMs === null ? 0 : usualMs - (now - job.startedAt);
  return left > 0 ? left : null;
}

/** `1.2 GiB of 3.4 GiB`, `3 of 12 packages`. */
export const amountText = ({ done, total, unit }: Amount): string =>
  unit === 'bytes' ? `${formatBytes(done)} of ${formatBytes(total)}` : `${done} of ${total} ${unit}`;

/** `12 MiB/s` of a running transfer; `null` for what is counted, and if unknown. */
export const rateText = ({ amount, perSecond }: PhaseSpan): string | null =>
  amount?.unit === 'bytes' && perSecond !== null ? `${formatBytes(perSecond)}/s` : null;
