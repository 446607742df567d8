import type { Instant } from '../../../domain/base/instant.ts';

/** In the time zone of the terminal, which `TZ` or the system sets. */
const FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** A time for people, such as `27 Nov 2026, 14:44 CET`. With `--json`, times are ISO 8601 in UTC. */
export const localTime = (at: Instant): string => FORMAT.format(at);
