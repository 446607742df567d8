import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { count } from '../../../../../domain/base/spans.ts';

interface Mark {
  readonly name: string;
  readonly at: Instant;
}

interface Band {
  readonly name: string;
  readonly from: Instant;
  readonly to: Instant;
}

interface WeekGridProps {
  readonly marks: readonly Mark[];
  readonly bands: readonly Band[];
  readonly zone: string;
  readonly now: Instant;
}

export const WEEK_DAYS = 7;
const HOURS = 24;
const DAY_MINUTES = 1_440;
/** Of a row, in the units of its picture: one a minute. */
const HEIGHT = 60;

/** The next seven days on the clocks of a zone: schedules as marks, maintenance windows as bands. */
export function WeekGrid({ marks, bands, zone, now }: WeekGridProps) {
  const place = placeIn(zone);
  const days = Array.from({ length: WEEK_DAYS }, (_, index) => place(now + index * DAY).day);
  const cut = bands.map((band) => ({ ...band, start: place(band.from), end: place(band.to) }));
  const runs = marks.map((mark) => ({ ...mark, ...place(mark.at) }));
  return (
    <section class="card" aria-labelledby="week-title">
      <header>
        <h2 id="week-title">Next 7 days</h2>
        <span class="quiet">{zone}</span>
      </header>
      <div class="body">
        <dl class="week">
          {days.map((day, index) => (
            <Row
              key={day}
              day={day}
              now={index === 0 ? place(now).minute : null}
              runs={runs.filter((run) => run.day === day)}
              bands={piecesOf(cut, day)}
            />
          ))}
          <dt />
          <dd class="hours" aria-hidden="true">
            {[0, 6, 12, 18].map((hour) => (
              <span key={hour}>{String(hour).padStart(2, '0')}:00</span>
            ))}
          </dd>
        </dl>
        <p class="week-legend">
          {marks.length === 0 ? null : (
            <span>
              <span class="mark-key" aria-hidden="true" />
              run of a schedule
            </span>
          )}
          {bands.length === 0 ? null : (
            <span>
              <span class="band-key" aria-hidden="true" />
              maintenance window
            </span>
          )}
          <span>
            <span class="now-key" aria-hidden="true" />
            now
          </span>
        </p>
      </div>
    </section>
  );
}

interface Piece {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function Row({
  day,
  now,
  runs,
  bands,
}: {
  readonly day: string;
  /** The minute of the day, if it is today. */
  readonly now: number | null;
  readonly runs: readonly { readonly name: string; readonly minute: number }[];
  readonly bands: readonly Piece[];
}) {
  const label = `${day}: ${count(runs.length, 'run')}, ${count(bands.length, 'maintenance window')}`;
  return (
    <>
      <dt>{day}</dt>
      <dd>
        <svg
          viewBox={`0 0 ${DAY_MINUTES} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          {Array.from({ length: HOURS }, (_, hour) => (
            <rect key={hour} class="hour" x={hour * 60} y={0} width={58} height={HEIGHT} />
          ))}
          {bands.map(({ name, from, to }) => (
            <rect
              key={`${name}${from}`}
              class="band"
              x={from}
              y={0}
              width={Math.max(4, to - from)}
              height={HEIGHT}
            >
              <title>{`${name}: ${clock(from)} to ${clock(to)}`}</title>
            </rect>
          ))}
          {runs.map(({ name, minute }) => (
            <rect key={`${name}${minute}`} class="mark" x={minute} y={6} width={10} height={HEIGHT - 12}>
              <title>{`${name}: ${clock(minute)}`}</title>
            </rect>
          ))}
          {now === null ? null : (
            <rect class="now" x={now} y={0} width={4} height={HEIGHT}>
              <title>{`now: ${clock(now)}`}</title>
            </rect>
          )}
        </svg>
      </dd>
    </>
  );
}

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

interface Place {
  /** Such as `Mon 23 Nov`. */
  readonly day: string;
  readonly minute: number;
}

function placeIn(zone: string): (at: Instant) => Place {
  const days = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  });
  const times = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const [hour = 0, minute = 0] = times.format(at).split(':').map(Number);
    return { day: days.format(at).replace(',', ''), minute: hour * 60 + minute };
  };
}

/** The pieces of windows on a day; a window may open the day before, and close the day after. */
const piecesOf = (
  bands: readonly (Band & { readonly start: Place; readonly end: Place })[],
  day: string,
): readonly Piece[] =>
  bands.flatMap(({ name, start, end }) => {
    if (start.day === day)
      return [{ name, from: start.minute, to: end.day === day ? end.minute : DAY_MINUTES }];
    return end.day === day && end.minute > 0 ? [{ name, from: 0, to: end.minute }] : [];
  });
