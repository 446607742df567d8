/** From this part of the whole on a meter is amber, and then red: browsers count the limit itself to the part below. */
const CARE = 0.75 - 1e-9;
const BAD = 0.9 - 1e-9;

/** How much of something is used. */
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
