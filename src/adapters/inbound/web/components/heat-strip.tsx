import type { Tone } from './status.tsx';

export interface HeatCell {
  /** `off`: nothing happened, or nothing is known. */
  readonly tone: Tone;
  /** Date and summary, such as `22 Nov 2026 UTC: 2 backups, 1 failed`. */
  readonly title: string;
  /** What it stands for: the jobs of the day, or the run. */
  readonly href?: string | undefined;
  /** Of the height; absent: all of it. */
  readonly part?: number;
}

const STEP = 10;
const HEIGHT = 22;

/** One cell a day or a run, the oldest first. The Tab key reaches the latest link; arrow keys go on from there. */
export const HeatStrip = ({
  cells,
  label,
  slots = cells.length,
  none,
}: {
  readonly cells: readonly HeatCell[];
  /** The text alternative, such as `Backups, 30 days: 28 succeeded, 2 failed`. */
  readonly label: string;
  /** Number of cells that fit; absent: the number of cells. */
  readonly slots?: number;
  /** Shown instead of cells in which nothing happened. */
  readonly none?: string;
}) =>
  none !== undefined && cells.every(({ tone }) => tone === 'off') ? (
    <span class="quiet">{none}</span>
  ) : (
    <svg
      class="heat"
      viewBox={`0 0 ${slots * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role={cells.some(({ href }) => href !== undefined) ? 'group' : 'img'}
      aria-label={label}
      data-times
    >
      {cells.map((cell, index) =>
        cell.href === undefined ? (
          <Cell key={cell.title} {...{ cell, index }} />
        ) : (
          <a
            key={cell.title}
            href={cell.href}
            tabindex={index === cells.findLastIndex(({ href }) => href) ? undefined : -1}
          >
            <Cell {...{ cell, index }} />
          </a>
        ),
      )}
    </svg>
  );

const Cell = ({
  cell: { tone, title, part = 1 },
  index,
}: {
  readonly cell: HeatCell;
  readonly index: number;
}) => (
  // The style sheet gives it its size, and the colour of nothing. What is below the strip is cut off.
  <rect
    class={tone === 'off' ? undefined : tone}
    x={index * STEP + 1}
    y={part < 1 ? HEIGHT * (1 - part) : undefined}
  >
    <title>{title}</title>
  </rect>
);
