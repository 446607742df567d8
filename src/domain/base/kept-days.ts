import { DAY, type Instant } from './instant.ts';

/** After how many days what is over is forgotten; 0: never. */
export interface KeptDays {
  readonly jobs: number;
  readonly logs: number;
  readonly events: number;
  readonly notifications: number;
  readonly audit: number;
}

/** Before which moment something is too old; `null`: nothing ever is. */
export const tooOldAt = (now: Instant, days: number): Instant | null =>
  days === 0 ? null : now - days * DAY;
