import { DAY, type Instant } from '../base/instant.ts';
import type { DiskSample, SampledDisk } from './sample.ts';

/** Samples that a forecast goes by. */
export const FORECAST_FROM_MS = 14 * DAY;
/** A forecast needs at least this many samples, over at least this long. */
const MIN_SAMPLES = 4;
const MIN_SPAN_MS = 3 * DAY;
/** How much of the variation a straight line has to explain (the coefficient of determination). */
const MIN_FIT = 0.6;
/** Beyond this a forecast means nothing. */
const MAX_AHEAD_MS = 365 * DAY;

/** An alert needs a file system at least this full, */
const MIN_PART = 0.6;
/** and a forecast within this. */
export const DISK_FILLING_MS = 14 * DAY;

export interface FullDisk {
  readonly mount: string;
  /** When it is full at its present rate. */
  readonly at: Instant;
}

/**
 * When a file system is full if it goes on growing as in these samples, by a straight line through them; `null` if it does
 * not grow, grows unevenly, was resized, or the samples are too few. `samples`: the oldest first, those of the last 14 days.
 */
export function fullAt(samples: readonly DiskSample[], mount: string): Instant | null {
  const all = samples.flatMap(({ at, disks }) => {
    const disk = disks.find((each) => each.mount === mount);
    return disk ? [{ at, ...disk }] : [];
  });
  const latest = all.at(-1);
  if (!latest || latest.totalBytes <= 0) return null;
  const points = all.filter(({ totalBytes }) => totalBytes === latest.totalBytes);
  const first = points[0];
  if (!first || points.length < MIN_SAMPLES || latest.at - first.at < MIN_SPAN_MS) return null;
  const { slope, fit } = lineThrough(points.map(({ at, usedBytes }) => [at - first.at, usedBytes]));
  if (slope <= 0 || fit < MIN_FIT) return null;
  const ahead = Math.max(0, latest.totalBytes - latest.usedBytes) / slope;
  return ahead > MAX_AHEAD_MS ? null : Math.round(latest.at + ahead);
}

/** Whether a file system is full enough for a forecast. */
export const isFillingUp = ({ usedBytes, totalBytes }: SampledDisk): boolean =>
  usedBytes >= MIN_PART * totalBytes;

/** Of the file systems that are filled more than halfway, the one that is full first. */
export function fillingDisk(samples: readonly DiskSample[]): FullDisk | null {
  const disks = samples.at(-1)?.disks ?? [];
  const filling = disks.filter(isFillingUp).flatMap(({ mount }) => {
    const at = fullAt(samples, mount);
    return at === null ? [] : [{ mount, at }];
  });
  return filling.toSorted((a, b) => a.at - b.at)[0] ?? null;
}

/** By least squares. A level line fits, but does not rise. */
function lineThrough(points: readonly (readonly [x: number, y: number])[]): { slope: number; fit: number } {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const middleX = mean(points.map(([x]) => x));
  const middleY = mean(points.map(([, y]) => y));
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (const [x, y] of points) {
    xx += (x - middleX) ** 2;
    xy += (x - middleX) * (y - middleY);
    yy += (y - middleY) ** 2;
  }
  if (xx === 0 || yy === 0) return { slope: 0, fit: 1 };
  return { slope: xy / xx, fit: xy ** 2 / (xx * yy) };
}
