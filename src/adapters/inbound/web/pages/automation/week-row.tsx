import { count } from '../../../../../domain/base/spans.ts';
import { clockText as clock, DAY_MINUTES } from './week-place.ts';

const HOURS = 24;
/** Of a run's bar, which has room for a letter. */
const BAR = '14px';
/** Minutes that a bar covers on a wide screen. */
const BAR_MINUTES = 24;

/** A part of a maintenance window on one day, in minutes. */
export interface Piece {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface Run {
  readonly name: string;
  readonly letter: string;
  readonly href: string;
  readonly minute: number;
}

interface WeekRowProps {
  readonly day: string;
  /** The minute of the day, if it is today. */
  readonly now: number | null;
  readonly runs: readonly Run[];
  readonly bands: readonly Piece[];
}

/** A day of the week: runs with their letters, windows with their names. The legend has the same links for keyboards. */
export function WeekRow({ day, now, runs, bands }: WeekRowProps) {
  const label = `${day}: ${count(runs.length, 'run')}, ${count(bands.length, 'maintenance window')}`;
  const bars = sideBySide(runs);
  return (
    <>
      <dt>{day}</dt>
      <dd>
        <svg role="group" aria-label={label}>
          {Array.from({ length: HOURS }, (_, hour) => (
            <rect key={hour} class="hour" x={share(hour * 60)} width={share(58)} height="100%" />
          ))}
          {bands.map((band) => (
            <Band key={`${band.name}${band.from}`} {...{ band, bars }} />
          ))}
          {bars.map(({ name, letter, href, minute, from }) => (
            <a key={`${name}${minute}`} href={href} tabIndex={-1} aria-label={`${name}: ${clock(minute)}`}>
              <title>{`${name}: ${clock(minute)}`}</title>
              <svg x={share(from)} y="2" width={BAR} height="18">
                <rect class="mark" width="100%" height="100%" rx="2" />
                <text class="mark-letter" x="7" y="13">
                  {letter}
                </text>
              </svg>
            </a>
          ))}
          {now === null ? null : (
            <rect class="now" x={share(now)} width="3" height="100%">
              <title>{`now: ${clock(now)}`}</title>
            </rect>
          )}
        </svg>
        <span class="phone">
          {agendaOf(runs, bands).map(({ at, words, href }) =>
            href === undefined ? (
              <span key={`${at}${words}`}>{words}</span>
            ) : (
              <a key={href} href={href}>
                {words}
              </a>
            ),
          )}
          {bands.length + runs.length === 0 ? <span class="quiet">no runs</span> : null}
        </span>
      </dd>
    </>
  );
}

interface Entry {
  readonly at: number;
  readonly words: string;
  readonly href?: string;
}

/** A day in words, by time: windows, and of each schedule its first run with the number of the others. */
function agendaOf(runs: readonly Run[], bands: readonly Piece[]): readonly Entry[] {
  const ofDay = runs.toSorted((one, other) => one.minute - other.minute);
  const first = ofDay.filter(({ href }, index) => ofDay.findIndex((each) => each.href === href) === index);
  const entries: readonly Entry[] = [
    ...bands.map(({ name, from, to }) => ({ at: from, words: `${clock(from)}–${clock(to)} ${name}` })),
    ...first.map(({ name, href, minute }) => {
      const others = ofDay.filter((each) => each.href === href).length - 1;
      return {
        at: minute,
        words: `${clock(minute)} ${name}${others > 0 ? ` and ${others} more` : ''}`,
        href,
      };
    }),
  ];
  return entries.toSorted((one, other) => one.at - other.at);
}

interface Bar extends Run {
  /** In minutes: its run, or later if another bar is there. */
  readonly from: number;
}

/** Bars in the order of time, none on top of another. */
function sideBySide(runs: readonly Run[]): readonly Bar[] {
  let free = 0;
  return runs
    .toSorted((one, other) => one.minute - other.minute)
    .map((run) => {
      const from = Math.max(run.minute, free);
      free = from + BAR_MINUTES;
      return { ...run, from };
    });
}

/** Minutes that a letter of a name covers on a wide screen. */
const LETTER_MINUTES = 9;

interface BandProps {
  readonly band: Piece;
  readonly bars: readonly Bar[];
}

/** Its name is where most room is between the bars, or after it if it fits there; the legend has it, too. */
function Band({ band: { name, from, to }, bars }: BandProps) {
  const length = name.length * LETTER_MINUTES;
  const widest = widestGap(from, to, bars);
  const isAfter = widest.end - widest.start < length;
  const { start, end } = isAfter ? widestGap(to, Math.min(DAY_MINUTES, to + length), bars) : widest;
  return (
    <g>
      <title>{`${name}: ${clock(from)} to ${clock(to)}`}</title>
      <rect class="band" x={share(from + 1)} width={share(Math.max(4, to - from - 4))} height="100%" />
      {end - start < length ? null : (
        <svg x={share(start)} width={share(end - start)} height="100%">
          <text class="band-name" x="6" y="15">
            {name}
          </text>
        </svg>
      )}
    </g>
  );
}

function widestGap(from: number, to: number, bars: readonly Bar[]): { start: number; end: number } {
  let widest = { start: from, end: from };
  let start = from;
  for (const bar of bars) {
    if (bar.from < from || bar.from >= to) continue;
    if (bar.from - start > widest.end - widest.start) widest = { start, end: bar.from };
    start = Math.min(to, bar.from + BAR_MINUTES);
  }
  return to - start > widest.end - widest.start ? { start, end: to } : widest;
}

const share = (minutes: number): string => `${Math.round((minutes / DAY_MINUTES) * 10_000) / 100}%`;
