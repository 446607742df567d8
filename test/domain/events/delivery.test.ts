import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/base/instant.ts';
import { type Attempt, afterAttempt } from '../../../src/domain/events/delivery.ts';

const FAILED: Attempt = { result: 'failed', statusCode: 500, durationMs: 1, error: 'no', retryAfterMs: null };
const after = (attempts: number, attempt = FAILED, channel: 'webhook' | 'push' = 'webhook') =>
  afterAttempt({ channel, attempts }, attempt, 1_000);

describe('A try', () => {
  test('that failed is followed by the next after each pause, then by none', () => {
    const pauses = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2, 5, 10, 14, 20, 24].map((each) =>
      each < 100 ? each * HOUR : each,
    );
    for (const [attempts, pause] of pauses.entries())
      expect(after(attempts)).toEqual({ status: 'pending', dueAt: 1_000 + pause, error: 'no' });
    expect(after(pauses.length)).toEqual({ status: 'dead', dueAt: null, error: 'no' });
  });

  test('that was taken ends it', () => {
    expect(after(3, { ...FAILED, result: 'delivered' })).toEqual({
      status: 'delivered',
      dueAt: null,
      error: null,
    });
  });

  test('whose receiver is gone ends it', () => {
    expect(after(0, { ...FAILED, result: 'gone' })).toMatchObject({ status: 'dead', dueAt: null });
  });

  test.each([
    ['a longer pause is granted', 0, HOUR, HOUR],
    ['a shorter one is not', 1, SECOND, 5 * MINUTE],
    ['none beyond a day', 0, 300 * DAY, DAY],
  ])('whose receiver asks to be left alone: %s', (_, attempts, retryAfterMs, pause) => {
    expect(after(attempts, { ...FAILED, retryAfterMs }).dueAt).toBe(1_000 + pause);
  });

  test('of a push message is made three times more at most', () => {
    expect(after(2, FAILED, 'push').status).toBe('pending');
    expect(after(3, FAILED, 'push').status).toBe('dead');
  });

  test('leaves at most a kilobyte of error', () => {
    expect(after(0, { ...FAILED, error: 'x'.repeat(5_000) }).error).toHaveLength(1024);
  });
});
