import { DAY, HOUR } from '../base/instant.ts';

/** How close samples are together, and how long they are kept. */
export const SAMPLE_STEPS = {
  hour: { everyMs: HOUR, keptMs: 30 * DAY },
  day: { everyMs: DAY, keptMs: 730 * DAY },
} as const;
export type SampleStep = keyof typeof SAMPLE_STEPS;
