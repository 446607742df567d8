import { describe, expect, test } from 'vitest';
import { parseSample, sampleCount, sampleText } from '../../../src/domain/backups/sample-size.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

describe('a sample', () => {
  test.each(['all', '1', '200', '5%'])('%s reads as it is written', (text) => {
    expect(sampleText(parseSample(text))).toBe(text);
  });

  test('of all percent is all', () => expect(parseSample('100%')).toEqual({ kind: 'all' }));

  test.each(['', '0', '0%', '101%', '-1', '1.5', '100001', 'some', '5 %'])('%j is none', async (text) => {
    await expectRefusal(
      Promise.resolve().then(() => parseSample(text)),
      'invalid_input',
    );
  });

  test('has one file at least, and no more than there are', () => {
    expect(sampleCount(parseSample('1%'), 7)).toBe(1);
    expect(sampleCount(parseSample('50%'), 7)).toBe(4);
    expect(sampleCount(parseSample('200'), 7)).toBe(7);
    expect(sampleCount(parseSample('all'), 7)).toBe(7);
    expect(sampleCount(parseSample('1%'), 0)).toBe(0);
  });
});
