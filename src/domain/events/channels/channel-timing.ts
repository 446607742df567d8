import { DAY_NAMES, WEEK } from '../../automation/cron-choice.ts';
import type { CronRule } from '../../automation/cron-rule.ts';
import { type InputProblem, InvalidInput } from '../../base/errors.ts';

/** When a channel sends: its weekly report, its quiet hours, and whether it gathers events. */
export interface ChannelTiming {
  /** An IANA name; all times are read on its clocks. */
  readonly timeZone: string;
  /** `day`: 0 is Sunday. Times are `HH:MM`. */
  readonly report: { readonly day: number; readonly at: string } | null;
  readonly quiet: { readonly from: string; readonly until: string } | null;
  /** One message an hour, or a day at a time. */
  readonly digest: { readonly every: 'hour' } | { readonly every: 'day'; readonly at: string } | null;
  /** Critical events wait neither for the end of quiet hours nor for a digest. */
  readonly criticalAtOnce: boolean;
}

/** As forms and commands give it. Absent: unchanged. */
export interface RawTiming {
  readonly timeZone?: string | undefined;
  /** A day's name, or `none`. */
  readonly reportDay?: string | undefined;
  readonly reportAt?: string | undefined;
  /** Both are empty without quiet hours. */
  readonly quietFrom?: string | undefined;
  readonly quietUntil?: string | undefined;
  readonly digest?: string | undefined;
  readonly digestAt?: string | undefined;
  readonly criticalAtOnce?: boolean | undefined;
}

/** Everything at once, and no report. */
export const AT_ONCE: ChannelTiming = {
  timeZone: 'UTC',
  report: null,
  quiet: null,
  digest: null,
  criticalAtOnce: true,
};

export const USUAL_TIME = '08:00';
export const DIGESTS = ['none', 'hour', 'day'] as const;
/** From Monday on. */
export const REPORT_DAYS: readonly string[] = ['none', ...WEEK.map((day) => dayName(day))];

/** `monday`. */
export function dayName(day: number): string {
  return (DAY_NAMES[day] ?? '').toLowerCase();
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const TIME_RULE = 'A time is like 08:00 or 22:30.';

/** Applies the given fields and keeps the rest; the caller checks the time zone. Throws `InvalidInput`. */
export function channelTiming(raw: RawTiming, before: ChannelTiming = AT_ONCE): ChannelTiming {
  const problems: InputProblem[] = [];
  const time = (path: string, given: string | undefined, former: string): string => {
    const value = given?.trim() || former;
    if (!TIME.test(value)) problems.push({ path, message: TIME_RULE });
    return value;
  };
  const timing = {
    timeZone: raw.timeZone?.trim() ?? before.timeZone,
    report: report(raw, before, time, problems),
    quiet: quiet(raw, before, time, problems),
    digest: digest(raw, before, time, problems),
    criticalAtOnce: raw.criticalAtOnce ?? before.criticalAtOnce,
  };
  if (problems.length > 0) throw new InvalidInput(problems);
  return timing;
}

type TimeOf = (path: string, given: string | undefined, former: string) => string;

function report(
  { reportDay, reportAt }: RawTiming,
  { report: former }: ChannelTiming,
  time: TimeOf,
  problems: InputProblem[],
): ChannelTiming['report'] {
  const name = reportDay ?? (former === null ? 'none' : dayName(former.day));
  if (!REPORT_DAYS.includes(name)) {
    problems.push({ path: '/report_day', message: `Choose one of ${REPORT_DAYS.join(', ')}.` });
    return null;
  }
  const at = time('/report_at', reportAt, former?.at ?? USUAL_TIME);
  return name === 'none' ? null : { day: WEEK.find((day) => dayName(day) === name) ?? 1, at };
}

function quiet(
  { quietFrom, quietUntil }: RawTiming,
  { quiet: former }: ChannelTiming,
  time: TimeOf,
  problems: InputProblem[],
): ChannelTiming['quiet'] {
  if (quietFrom === undefined && quietUntil === undefined) return former;
  if (!quietFrom?.trim() && !quietUntil?.trim()) return null;
  const from = time('/quiet_from', quietFrom, '');
  const until = time('/quiet_until', quietUntil, '');
  if (from === until && from !== '')
    problems.push({ path: '/quiet_until', message: 'Choose an end that differs from the start.' });
  return { from, until };
}

function digest(
  { digest: given, digestAt }: RawTiming,
  { digest: former }: ChannelTiming,
  time: TimeOf,
  problems: InputProblem[],
): ChannelTiming['digest'] {
  const wanted = given ?? former?.every ?? 'none';
  const every = DIGESTS.find((each) => each === wanted);
  if (every === undefined)
    problems.push({ path: '/digest', message: `Choose one of ${DIGESTS.join(', ')}.` });
  const at = time('/digest_at', digestAt, former?.every === 'day' ? former.at : USUAL_TIME);
  if (every === 'day') return { every, at };
  return every === 'hour' ? { every } : null;
}

/** The rule by which a time comes round every day, or on a day of the week. */
export function ruleAt(time: string, timeZone: string, day: number | '*' = '*'): CronRule {
  const [hour, minute] = time.split(':').map(Number);
  return { expression: `${minute} ${hour} * * ${day}`, timeZone };
}

export const reportRule = ({ report: at, timeZone }: ChannelTiming): CronRule | null =>
  at && ruleAt(at.at, timeZone, at.day);

export const digestRule = ({ digest: gathers, timeZone }: ChannelTiming): CronRule | null => {
  if (gathers === null) return null;
  return gathers.every === 'day' ? ruleAt(gathers.at, timeZone) : { expression: '0 * * * *', timeZone };
};

/** When its messages come, in a few words. */
export function timingText({
  timeZone,
  quiet: hours,
  digest: gathers,
  criticalAtOnce,
}: ChannelTiming): string {
  if (hours === null && gathers === null) return 'immediately';
  const parts = [
    ...(gathers === null ? [] : [gathers.every === 'hour' ? 'one an hour' : `one a day at ${gathers.at}`]),
    ...(hours === null ? [] : [`none from ${hours.from} to ${hours.until}`]),
  ];
  return `${parts.join(', ')} (${timeZone})${criticalAtOnce ? '; critical events immediately' : ''}`;
}

/** When its report comes, in a few words. */
export const reportText = ({ report: at, timeZone }: ChannelTiming): string =>
  at === null ? 'none' : `every ${DAY_NAMES[at.day]} at ${at.at} (${timeZone})`;
