/** Of a line: those of packages such as `libgpg-error0` and counts such as `0 failed` are no errors. */
export type LogLevel = 'error' | 'warning';

const NONE =
  /(?<![\d.])(?:0|no|without) (?:errors?|failures?|failed|warnings?)\b|\b(?:errors?|failed)[:=] ?0\b/i;
const ERROR =
  /(?<![-\w./])(?:errors?|fatal|failed|failure|panic|emerg|denied|refused|unreachable|unhealthy)(?![-\w/])|^E:|\b(?:cannot|could not|unable to|no such file)\b/i;
const WARNING = /(?<![-\w./])warn(?:ing)?s?(?![-\w/])|^W:/i;
/** A longer line is judged by its start. */
const MAX_LENGTH = 2_000;

export function levelOf(line: string): LogLevel | null {
  const start = line.slice(0, MAX_LENGTH).trimStart();
  if (NONE.test(start)) return null;
  if (ERROR.test(start)) return 'error';
  return WARNING.test(start) ? 'warning' : null;
}
