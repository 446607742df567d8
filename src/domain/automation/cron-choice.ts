import type { CronRule } from './cron-rule.ts';

/** The usual recurrences, which need no cron expression. */
export const RECURRENCES = ['hour', 'day', 'week', 'month', 'custom'] as const;
export type Recurrence = (typeof RECURRENCES)[number];

export interface CronChoice {
  readonly every: Recurrence;
  /** `HH:MM`; of an hourly one only the minutes count. */
  readonly at: string;
  /** From 0 (Sunday) to 6; of a weekly one. */
  readonly days: readonly number[];
  /** From 1 to 31; of a monthly one. */
  readonly day: number;
}

export const USUAL_CHOICE: CronChoice = { every: 'day', at: '02:30', days: [0], day: 1 };

export const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** As weeks are read in most places. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0];

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
};
const FIELDS = /^(\d{1,2}) (\d{1,2}|\*) (\d{1,2}|\*) \* (\*|[0-6](?:,[0-6])*)$/;
const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;

/** What is wrong with a choice: the field and a sentence; `null`: nothing. */
export function choiceProblem({ every, at, days, day }: CronChoice): [field: string, message: string] | null {
  if (every === 'custom') return null;
  if (!TIME.test(at)) return ['at', 'Give a time, such as 02:30.'];
  if (every === 'week' && days.length === 0) return ['days', 'Choose at least one day.'];
  if (every === 'month' && !(day >= 1 && day <= 31)) return ['day', 'Give a day of the month, from 1 to 31.'];
  return null;
}

/** The expression of a choice without a problem; a custom one has its own. */
export function expressionOf({
  every,
  at,
  days,
  day,
}: Omit<CronChoice, 'every'> & {
  readonly every: Exclude<Recurrence, 'custom'>;
}): string {
  const [, hour, minute] = TIME.exec(at) ?? ['', '0', '0'];
  const time = `${Number(minute)} ${every === 'hour' ? '*' : Number(hour)}`;
  if (every === 'week') return `${time} * * ${days.toSorted((a, b) => a - b).join(',')}`;
  return `${time} ${every === 'month' ? day : '*'} * *`;
}

/** The choice that an expression stands for. */
export function choiceOf(expression: string): CronChoice {
  const plain = NICKNAMES[expression.toLowerCase()] ?? expression;
  const [, minute = '', hour = '', day = '', days = ''] = FIELDS.exec(plain) ?? [];
  const custom: CronChoice = { ...USUAL_CHOICE, every: 'custom' };
  if (minute === '' || Number(minute) > 59 || (hour !== '*' && Number(hour) > 23)) return custom;
  const at = `${(hour === '*' ? '00' : hour).padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (hour === '*') return day === '*' && days === '*' ? { ...custom, every: 'hour', at } : custom;
  if (day !== '*') return days === '*' ? { ...custom, every: 'month', at, day: Number(day) } : custom;
  if (days === '*') return { ...custom, every: 'day', at };
  return { ...custom, every: 'week', at, days: days.split(',').map(Number) };
}

/** Such as `every day at 02:30 (Europe/Berlin)`; of a custom rule its expression. */
export function cronWords({ expression, timeZone }: CronRule): string {
  const { every, at, days, day } = choiceOf(withoutRange(expression));
  const when = {
    hour: `every hour at minute ${Number(at.slice(3))}`,
    day: `every day at ${at}`,
    week: `every ${dayWords(WEEK.filter((each) => days.includes(each)))} at ${at}`,
    month: `on day ${day} of every month at ${at}`,
    custom: `at ${expression}`,
  }[every];
  return `${when} (${timeZone})`;
}

/** `0 20 * * 1-5` as `0 20 * * 1,2,3,4,5`. */
const withoutRange = (expression: string): string =>
  expression.replace(/ ([0-6])-([0-6])$/, (range, first: string, last: string) =>
    first < last ? ` ${'0,1,2,3,4,5,6'.slice(2 * Number(first), 2 * Number(last) + 1)}` : range,
  );

/** `Monday to Friday`, or each of the days. */
function dayWords(days: readonly number[]): string {
  const names = days.map((day) => DAY_NAMES[day]);
  const start = WEEK.indexOf(days[0] ?? 0);
  const isRow = days.length > 2 && days.every((day, index) => WEEK[start + index] === day);
  return isRow ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
}
