import { NEARLY_FULL_PART } from '../../../../domain/fleet/fleet-conditions.ts';

/** Browsers count the limit itself to the part below. */
const CARE = NEARLY_FULL_PART - 1e-9;

/** How much of something is used: amber once it is nearly full, as pills and alerts of disks are. */
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
