import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import { DAY_MINUTES, type Place, placeIn } from './week-place.ts';
import { type Piece, WeekRow } from './week-row.tsx';

interface Mark {
  /** Of its schedule. */
  readonly id: number;
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
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The next seven days on the clocks of a zone: schedules as bars with a letter, maintenance windows as bands. */
export function WeekGrid({ marks, bands, zone, now }: WeekGridProps) {
  const place = placeIn(zone);
  const days = Array.from({ length: WEEK_DAYS }, (_, index) => place(now + index * DAY).day);
  const cut = bands.map((band) => ({ ...band, start: place(band.from), end: place(band.to) }));
  const minuteOf = ({ at }: Mark): number => place(at).minute;
  const inDay = marks.toSorted((one, other) => minuteOf(one) - minuteOf(other));
  const schedules = [...new Map(inDay.map(({ id, name }) => [id, name]))];
  const letters = new Map(schedules.map(([id], index) => [id, LETTERS[index] ?? '•']));
  const runs = marks.map(({ id, name, at }) => ({
    name,
    href: `/schedules/${id}`,
    letter: letters.get(id) ?? '',
    ...place(at),
  }));
  const windows = [...new Set(bands.map(({ name }) => name))];
  return (
    <section class="card" aria-labelledby="week-title">
      <header>
        <h2 id="week-title">Next 7 days</h2>
        <span class="acts quiet">times in {zone}</span>
      </header>
      <div class="body">
        <dl class="week">
          {days.map((day, index) => (
            <WeekRow
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
            <span>24:00</span>
          </dd>
        </dl>
        <p class="week-legend desk">
          {schedules.map(([id, name]) => (
            <a key={id} href={`/schedules/${id}`}>
              <span class="mark-key" aria-hidden="true">
                {letters.get(id)}
              </span>
              {name}
            </a>
          ))}
          {bands.length === 0 ? null : (
            <span>
              <span class="band-key" aria-hidden="true" />
              maintenance window{windows.length > 1 ? 's' : ''}: {windows.join(', ')}
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
