/** A line of a container's log. */
export interface LoggedLine {
  /** When the engine received it: RFC 3339, in the engine's words; `null` for the rest of a line that was cut. */
  readonly stamp: string | null;
  readonly text: string;
}

const STAMP = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`;
const ONLY_STAMP = new RegExp(`^${STAMP}$`);
const STAMPED = new RegExp(`^(${STAMP})(?: |$)`);

export const isLogStamp = (text: string): boolean => ONLY_STAMP.test(text) && !Number.isNaN(Date.parse(text));

/** The lines of an engine's output with its stamps. */
export function loggedLines(text: string): readonly LoggedLine[] {
  const lines = text.split('\n').map((line): LoggedLine => {
    const [start = '', stamp = null] = STAMPED.exec(line) ?? [];
    return stamp !== null && isLogStamp(stamp)
      ? { stamp, text: line.slice(start.length) }
      : { stamp: null, text: line };
  });
  return lines.at(-1)?.stamp === null && lines.at(-1)?.text === '' ? lines.slice(0, -1) : lines;
}

/** Those after a stamp: engines repeat lines of that very moment. */
export function linesAfter(lines: readonly LoggedLine[], stamp: string | null): readonly LoggedLine[] {
  if (stamp === null) return lines;
  const reached = nanoseconds(stamp);
  const first = lines.findIndex((line) => line.stamp !== null && nanoseconds(line.stamp) > reached);
  return first < 0 ? [] : lines.slice(first);
}

/** A number would lose the last digits. */
function nanoseconds(stamp: string): bigint {
  const fraction = /\.(\d+)/.exec(stamp)?.[1] ?? '';
  const whole = Date.parse(stamp.replace(/\.\d+/, ''));
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
