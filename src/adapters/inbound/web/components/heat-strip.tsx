import type { Tone } from './status.tsx';

export interface HeatCell {
  /** `off`: nothing happened, or nothing is known. */
  readonly tone: Tone;
  /** Date and summary, such as `22 Nov 2026 UTC: 2 backups, 1 failed`. */
  readonly title: string;
  /** Of the height; absent: all of it. */
  readonly part?: number;
}

const STEP = 10;
const CELL = 8;
const HEIGHT = 22;

/** One cell a day or a run, the oldest first. */
export const HeatStrip = ({
  cells,
  label,
  slots = cells.length,
}: {
  readonly cells: readonly HeatCell[];
  /** The text alternative, such as `Backups, 30 days: 28 succeeded, 2 failed`. */
  readonly label: string;
  /** Number of cells that fit; absent: the number of cells. */
  readonly slots?: number;
}) => (
  <svg
    class="heat"
    viewBox={`0 0 ${slots * STEP} ${HEIGHT}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
    data-times
  >
    {cells.map(({ tone, title, part = 1 }, index) => (
      <rect
        key={title}
        class={tone}
        x={index * STEP + 1}
        y={HEIGHT * (1 - part)}
        width={CELL}
        height={HEIGHT * part}
      >
        <title>{title}</title>
      </rect>
    ))}
  </svg>
);
