import { type Instant, withTimes } from '../../../domain/base/instant.ts';

/** Where English has an abbreviation for a zone; elsewhere its offset is shown. */
const REGIONS = ['en-GB', 'en-US', 'en-AU', 'en-IN'];

/** Without a zone: in that of the terminal, which `TZ` or the system sets. */
export function clockOf(zone?: string): (at: Instant) => string {
  const formats = REGIONS.map(
    (region) => new Intl.DateTimeFormat(region, { timeZone: zone, timeZoneName: 'short' }),
  );
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const name = (at: Instant): string => {
    const names = formats.map(
      (format) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '',
    );
    return names.find((each) => !/^GMT[+-]/.test(each)) ?? names[0] ?? '';
  };
  return (at) => `${time.format(at)} ${name(at)}`;
}

/** A time for people, such as `27 Nov 2026, 14:44 CET`. With `--json`, times are ISO 8601 in UTC. */
export const localTime = clockOf();

/** Lines of a log or a file, in which times stay as they are. */
export interface Verbatim {
  readonly verbatim: string;
}

/** What a command prints for people. */
export type Text = string | readonly (string | Verbatim)[];

/** A text in which times in UTC are those of the terminal. */
export const localTimes = (text: Text, clock = localTime): string =>
  [text]
    .flat()
    .map((part) => (typeof part === 'string' ? withTimes(part, clock).join('') : part.verbatim))
    .join('');
