import type { Tone } from './status.tsx';

export interface HeatCell {
  /** `off`: nothing happened, or nothing is known. */
  readonly tone: Tone;
  /** Date and summary, such as `22 Nov: 2 backups, 1 failed`. */
  readonly title: string;
}

const STEP = 10;
const CELL = 8;
const HEIGHT = 22;

/** One cell a day, the oldest first. */
export const HeatStrip = ({
  cells,
  label,
}: {
  readonly cells: readonly HeatCell[];
  /** The text alternative, such as `Backups, 30 days: 28 succeeded, 2 failed`. */
  readonly label: string;
}) => (
  <svg
    class="heat"
    viewBox={`0 0 ${cells.length * STEP} ${HEIGHT}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    {cells.map(({ tone, title }, index) => (
      <rect key={title} class={tone} x={index * STEP + 1} y={0} width={CELL} height={HEIGHT}>
        <title>{title}</title>
      </rect>
    ))}
  </svg>
);
