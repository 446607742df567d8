import { describe, expect, it } from 'vitest';
import { CronerClock } from '../../../../src/adapters/outbound/system/croner-clock.ts';
import { InvalidInput } from '../../../../src/domain/base/errors.ts';
import { cronClockContract } from '../../../contracts/cron-clock.contract.ts';

cronClockContract('croner', new CronerClock());

describe('what people write', () => {
  const faultOf = (expression: string, timeZone = 'UTC'): string => {
    try {
      new CronerClock().check({ expression, timeZone }, Date.UTC(2026, 0, 15));
    } catch (error) {
      if (error instanceof InvalidInput) return error.problems[0]?.message ?? '';
      throw error;
    }
    return '';
  };

  it.each([
    ['61 * * * *', 'Invalid value for minute: 61; an expression is like "30 2 * * 0".'],
    ['0 0 31 2 *', 'This time never occurs.'],
    ['@reboot', 'Enter five fields'],
    [`0 0 * * ${'1,'.repeat(60)}1`, 'Enter five fields'],
  ])('%s is refused in words that help', (expression, words) => {
    expect(faultOf(expression)).toContain(words);
  });

  it('a time zone is a name, not an offset', () => {
    expect(faultOf('0 3 * * *', '+02:00')).toContain('such as Europe/Berlin');
    expect(faultOf('0 3 * * *', 'Europe/Berlin')).toBe('');
  });

  it('names, last days and nth weekdays are read', () => {
    for (const expression of ['0 3 * JAN-MAR SUN', '0 3 L * *', '0 3 * * MON#2', '@weekly']) {
      expect(faultOf(expression)).toBe('');
    }
  });
});
