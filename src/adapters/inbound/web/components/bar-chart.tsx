interface Bar {
  readonly key: string | number;
  readonly value: number;
  /** What the bar says, with its number. */
  readonly label: string;
}

const WIDTH = 640;
const HEIGHT = 72;

/** Small bars over time, drawn here. The numbers stand beside it as text: this is for their shape alone. */
export function BarChart({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  const step = WIDTH / Math.max(bars.length, 12);
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
      {bars.map(({ key, value, label }, index) => {
        const height = Math.max(2, Math.round((value / most) * (HEIGHT - 4)));
        return (
          <rect
            key={key}
            x={Math.round(index * step) + 1}
            y={HEIGHT - height}
            width={Math.max(2, Math.round(step) - 3)}
            height={height}
            rx={1}
          >
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}
