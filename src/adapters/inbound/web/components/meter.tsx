import { NEARLY_FULL_PART } from '../../../../domain/fleet/fleet-conditions.ts';

/** Browsers count the limit itself to the part below. */
const [CARE, BAD] = [0.75 - 1e-9, NEARLY_FULL_PART - 1e-9];

/** How much of something is used: amber before it is nearly full, and then red. */
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
  <meter
    min={0}
    max={total}
    low={total * CARE}
    high={total * BAD}
    optimum={0}
    value={used}
    aria-label={label}
  >
    {label}
  </meter>
);
