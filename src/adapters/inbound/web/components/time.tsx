import { DAY, type Instant, toIso, withTimes } from '../../../../domain/base/instant.ts';
import { ago, duration, elapsed } from '../../../../domain/base/spans.ts';

interface MomentProps {
  readonly at: Instant;
  readonly now: Instant;
  /** The time zone in which it was chosen: shown below that of the reader. */
  readonly zone?: string;
}

/** The one way in which the web UI writes a date; `static/js/times.js` does the same in the reader's time zone. */
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;

const format = (zone: string, parts: Intl.DateTimeFormatOptions): ((at: Instant) => string) => {
  const formatter = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...parts });
  return (at) => formatter.format(at).replace('Sept', 'Sep');
};

/** `Sun, 22 Nov 2026, 01:02:25 UTC`: on hover, where the script adds the reader's time. */
export const exactly = format('UTC', { ...DATE, ...CLOCK, weekday: 'short', second: '2-digit' });

/**
 * `22 Nov 2026, 01:02 UTC`: for a title or a label. On an element with `data-times`, the script converts it to the
 * reader's time zone. Elsewhere, use the components.
 */
export const timeText = format('UTC', { ...DATE, ...CLOCK });

const date = format('UTC', DATE);
/** `22 Nov 2026 UTC`: the same for a day, from its first instant. */
export const dayText = (day: Instant): string => `${date(day)} UTC`;

/** A text whose times in UTC are written as the web UI does: for a title or a label. */
export const withTimeTexts = (text: string): string => withTimes(text, timeText).join('');

/** A time that the script converts to the reader's time zone, with UTC on hover. */
const Local = ({ at }: { readonly at: Instant }) => (
  <time datetime={toIso(at)} title={exactly(at)} data-local>
    {timeText(at)}
  </time>
);

const shortDate = format('UTC', { day: 'numeric', month: 'short' });

/** A date without a time; a short one has no year. */
export const Day = ({ at, isShort = false }: { readonly at: Instant; readonly isShort?: boolean }) => (
  <time datetime={toIso(at)} title={exactly(at)} data-local={isShort ? 'short' : 'day'}>
    {isShort ? shortDate(at) : dayText(at)}
  </time>
);

/** A date of the calendar, the same in all time zones. */
export const CalendarDay = ({ at }: { readonly at: Instant }) => <time>{date(at)}</time>;

/** The same for a day with several: `28 Nov, 14:05`. */
export const DayClock = ({ at }: { readonly at: Instant }) => (
  <time datetime={toIso(at)} title={exactly(at)} data-local="clock">
    {`${shortDate(at)}, ${toIso(at).slice(11, 16)}`}
  </time>
);

const clockTime = format('UTC', { hour: '2-digit', minute: '2-digit' });
const weekTime = format('UTC', { weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** A time of the next days, as short as it is clear: `02:30`, `Sun 03:00`, `1 Dec`. */
export function Soon({ at, now }: MomentProps) {
  const days = (at - now) / DAY;
  if (days > 6) return <Day at={at} isShort />;
  return (
    <time datetime={toIso(at)} title={exactly(at)} data-local={days < 1 ? 'time' : 'week'}>
      {(days < 1 ? clockTime : weekTime)(at)}
    </time>
  );
}

const DAY_IN_TEXT = /\b(\d{4}-\d{2}-\d{2})\b/;

/** A text with days such as `2026-11-22`, from midnight to midnight in UTC: these stay days of UTC. */
export const UtcDays = ({ text }: { readonly text: string }) => (
  <>
    {text.split(DAY_IN_TEXT).map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <time key={part} datetime={part}>
          {dayText(Date.parse(part))}
        </time>
      ),
    )}
  </>
);

/** A text whose times in UTC are converted to the reader's time zone. */
export const LocalTimes = ({ text }: { readonly text: string | null }) => (
  <>{text === null ? null : withTimes(text, (at) => <Local at={at} />)}</>
);

/** From here on, `Ago` shows the date. */
const DATE_AFTER = 60 * DAY;

/** How long ago, with the exact time on hover; the script keeps it up to date. */
export function Ago({ at, now }: { readonly at: Instant | null; readonly now: Instant }) {
  if (at === null) return <span class="quiet">never</span>;
  if (now - at > DATE_AFTER) return <Day at={at} />;
  return (
    <time datetime={toIso(at)} title={exactly(at)} data-ago>
      {ago(at, now)}
    </time>
  );
}

interface TookProps {
  readonly from: Instant;
  /** Null: it goes on, and the script counts the seconds. */
  readonly until: Instant | null;
  readonly now: Instant;
}

export const Took = ({ from, until, now }: TookProps) =>
  until === null ? <span data-since={from}>{elapsed(now - from)}</span> : <>{elapsed(until - from)}</>;

/** The stamp of a line in a log, which has no date: of the first such time since then. */
export function LogTime({ stamp, since }: { readonly stamp: string; readonly since: Instant }) {
  const at = Date.parse(`${toIso(since).slice(0, 10)}T${stamp}Z`);
  // The clock of the database may be some minutes ahead of that of the worker, which writes the log.
  const isNextDay = at < since - DAY / 2;
  return (
    <time datetime={`${toIso(isNextDay ? at + DAY : at).slice(0, 19)}Z`} data-clock>
      {stamp}
    </time>
  );
}

/** The time of a line in another program's log: short, with the date unless it is of today. */
export function LineTime({ at, now }: MomentProps) {
  const isOld = Math.abs(now - at) > DAY / 2;
  const clock = toIso(at).slice(11, 19);
  return (
    <time datetime={toIso(at)} title={exactly(at)} data-clock={isOld ? 'day' : ''}>
      {isOld ? `${shortDate(at)}, ${clock}` : clock}
    </time>
  );
}

/** A time in words such as `in 3 h`, with the exact time on hover. */
export const InWords = ({ at, words }: { readonly at: Instant; readonly words: string }) => (
  <time datetime={toIso(at)} title={exactly(at)}>
    {words}
  </time>
);

/** A time in the future. */
export const On = ({ at, otherwise }: { readonly at: Instant | null; readonly otherwise: string }) =>
  at === null ? <span class="quiet">{otherwise}</span> : <Local at={at} />;

/** A time, how far off it is, and what the clocks of a zone say then. */
export const At = ({ at, now, zone }: MomentProps) => (
  <>
    <Local at={at} />, <span class="quiet">{at > now ? `in ${duration(at - now)}` : ago(at, now)}</span>
    {zone === undefined ? null : (
      <span class="under">
        <InWords at={at} words={format(zone, { weekday: 'short', hour: '2-digit', minute: '2-digit' })(at)} />
        {` in ${zone}`}
      </span>
    )}
  </>
);
