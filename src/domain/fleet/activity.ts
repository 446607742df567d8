import type { Instant } from '../base/instant.ts';
import { SAMPLE_STEPS, type SampleStep } from './sample-steps.ts';

/** What a host has transferred since it booted, and its swap. `null`: unknown. */
export interface Activity {
  /** A counter starts again with each boot. */
  readonly bootId: string | null;
  /** Of all network cards. */
  readonly receivedBytes: number | null;
  readonly sentBytes: number | null;
  /** Of all disks. */
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  readonly swapTotalBytes: number | null;
  readonly swapUsedBytes: number | null;
}

export type Counter = 'receivedBytes' | 'sentBytes' | 'readBytes' | 'writtenBytes';

interface Counted {
  readonly at: Instant;
  readonly activity: Activity | null;
}

/** A sample may be late, and one may be missing, before values have a gap. */
export const MAX_STEPS_APART = 2.5;

/**
 * The average since the sample before, per second. `null` if either is unknown, the host booted or the counter started
 * again in between, or samples are missing.
 */
export function rateOf(
  counter: Counter,
  before: Counted | undefined,
  { at, activity }: Counted,
  step: SampleStep,
): number | null {
  const [from, to] = [before?.activity?.[counter] ?? null, activity?.[counter] ?? null];
  if (!before?.activity || !activity || from === null || to === null || to < from) return null;
  const ms = at - before.at;
  if (
    activity.bootId !== before.activity.bootId ||
    ms <= 0 ||
    ms > MAX_STEPS_APART * SAMPLE_STEPS[step].everyMs
  )
    return null;
  return (1000 * (to - from)) / ms;
}
