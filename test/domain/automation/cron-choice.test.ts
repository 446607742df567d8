import { describe, expect, test } from 'vitest';
import {
  choiceOf,
  choiceProblem,
  cronWords,
  expressionOf,
  type Recurrence,
  USUAL_CHOICE,
} from '../../../src/domain/automation/cron-choice.ts';

describe('A recurrence', () => {
  test.each([
    ['15 * * * *', 'hour', 'every hour at minute 15'],
    ['30 2 * * *', 'day', 'every day at 02:30'],
    ['0 3 * * 0,1', 'week', 'every Monday, Sunday at 03:00'],
    ['5 23 31 * *', 'month', 'on day 31 of every month at 23:05'],
  ] as const)('reads and writes %s', (expression, every, words) => {
    const choice = choiceOf(expression);
    expect(choice.every).toBe(every);
    expect(expressionOf(choice as typeof choice & { every: Exclude<Recurrence, 'custom'> })).toBe(expression);
    expect(cronWords({ expression, timeZone: 'UTC' })).toBe(`${words} (UTC)`);
  });

  test.each([
    '*/5 * * * *',
    '0 3 * 1 *',
    '0 3 1 * 1',
    '61 3 * * *',
    '0 24 * * *',
    '0 3 * * 1-5',
    '',
    '@yearly',
  ])('leaves %j to the expression', (expression) => {
    expect(choiceOf(expression).every).toBe('custom');
  });

  test.each([
    ['0 20 * * 1-5', 'every Monday to Friday at 20:00'],
    ['0 20 * * 0,1,2', 'every Monday, Tuesday, Sunday at 20:00'],
    ['0 20 * * 5-1', 'at 0 20 * * 5-1'],
    ['*/5 * * * *', 'at */5 * * * *'],
  ])('says %s in words', (expression, words) => {
    expect(cronWords({ expression, timeZone: 'UTC' })).toBe(`${words} (UTC)`);
  });

  test('knows the nicknames', () => {
    expect(choiceOf('@Daily')).toMatchObject({ every: 'day', at: '00:00' });
    expect(choiceOf('@weekly')).toMatchObject({ every: 'week', days: [0] });
  });

  test.each([
    [{ at: '25:00' }, 'at'],
    [{ every: 'week', days: [] }, 'days'],
    [{ every: 'month', day: Number.NaN }, 'day'],
    [{ every: 'month', day: 32 }, 'day'],
  ] as const)('names the field that is wrong: %j', (over, field) => {
    expect(choiceProblem({ ...USUAL_CHOICE, ...over })?.[0]).toBe(field);
  });

  test('is fine otherwise', () => {
    expect(choiceProblem(USUAL_CHOICE)).toBeNull();
    expect(choiceProblem({ ...USUAL_CHOICE, every: 'custom', at: '' })).toBeNull();
  });
});
