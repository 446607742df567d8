/** Browsers count the limit itself to the part below. */
const CARE = 0.8 - 1e-9;

/** How much of something is used: amber before it is nearly full. */
export const Meter = ({
  used,
  total,
  label,
}: {
  readonly used: number;
  readonly total: number;
  /** Names it, and says its value: `Memory, 20.5 of 64 GiB`. */
  readonly label: string;
}) => (
  <meter min={0} max={total} low={total * CARE} optimum={0} value={used} aria-label={label}>
    {label}
  </meter>
);
