const WIDTH = 96;
const HEIGHT = 28;
/** The height shows at least this part of the highest value; values that are all the same are a line in the middle. */
const MIN_SPAN = 0.1;
/** So that the line's own width is not cut off. */
const MARGIN = 2;

/**
 * A line over time without axes, beside a number. Values are evenly spaced, `null` leaves a gap. `most`: the top of
 * the scale, which then starts at zero; without it the line fills the height between its minimum and maximum.
 */
export function Sparkline({
  values,
  label,
  most,
}: {
  readonly values: readonly (number | null)[];
  /** The text alternative and tooltip, such as `30 days, from 3.9 to 4.3 GiB`. */
  readonly label: string;
  readonly most?: number;
}) {
  const runs = runsOf(placed(values, most));
  if (runs.length === 0) return null;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      {runs.map((run) => {
        const line = `M${bends(run).join(' ')}`;
        const first = run[0]?.[0] ?? 0;
        return (
          <g key={first}>
            <path class="area" d={`${line}V${HEIGHT}H${first}Z`} />
            <path class="line" d={run.length > 1 ? line : `${line}h0.1`} />
          </g>
        );
      })}
    </svg>
  );
}

type Place = readonly [x: number, y: number];

function placed(values: readonly (number | null)[], most: number | undefined): readonly (Place | null)[] {
  const known = values.filter((value) => value !== null);
  const top = most ?? Math.max(...known);
  const bottom = most === undefined ? Math.min(...known) : 0;
  // A change of a few percent must not look like a steep one.
  const span = Math.max(top - bottom, top * MIN_SPAN);
  const least = bottom - (span - (top - bottom)) / 2;
  const step = WIDTH / Math.max(values.length - 1, 1);
  return values.map((value, index) => {
    if (value === null) return null;
    const part = span > 0 ? Math.min(1, (value - least) / span) : 0.5;
    return [short(index * step), short(HEIGHT - MARGIN - part * (HEIGHT - 2 * MARGIN))];
  });
}

/** Connected segments. */
function runsOf(places: readonly (Place | null)[]): readonly (readonly Place[])[] {
  const runs: Place[][] = [];
  let open: Place[] | null = null;
  for (const place of places) {
    if (place === null) open = null;
    else if (open === null) runs.push((open = [place]));
    else open.push(place);
  }
  return runs;
}

/** A run's coordinates without the places between two at the same height. */
const bends = (run: readonly Place[]): readonly number[] =>
  run.filter(([, y], index) => run[index - 1]?.[1] !== y || run[index + 1]?.[1] !== y).flat();

const short = (value: number): number => Math.round(value * 10) / 10;
