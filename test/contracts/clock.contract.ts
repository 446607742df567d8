import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/application/ports/base/clock.ts';

export interface ClockSubject {
  readonly clock: Clock;
  /** Advances the time; does nothing if it advances on its own. */
  readonly pass: (ms: number) => Promise<void>;
}

const A_WEEK_MS = 7 * 24 * 3_600_000;
const FIFTY_DAYS_MS = 50 * 24 * 3_600_000;

export function clockContract(name: string, makeSubject: () => ClockSubject): void {
  describe(`${name} as a clock`, () => {
    test('tells whole milliseconds that never go back', () => {
      const { clock } = makeSubject();
      const first = clock.now();
      expect(Number.isInteger(first)).toBe(true);
      expect(clock.now()).toBeGreaterThanOrEqual(first);
    });

    test('wakes who sleeps, the shorter sleep first', async () => {
      const { clock, pass } = makeSubject();
      const woken: string[] = [];
      const long = clock.sleep(60).then(() => woken.push('long'));
      const short = clock.sleep(5).then(() => woken.push('short'));
      await pass(100);
      await Promise.all([long, short]);
      expect(woken).toEqual(['short', 'long']);
    });

    test('does not sleep for nothing or less', async () => {
      const { clock } = makeSubject();
      await clock.sleep(0);
      await clock.sleep(-5);
    });

    test.each([A_WEEK_MS, FIFTY_DAYS_MS])(
      'sleeps on for %i ms until it is aborted, and then does not throw',
      async (ms) => {
        const { clock, pass } = makeSubject();
        const abort = new AbortController();
        let awake = false;
        const sleeping = clock.sleep(ms, abort.signal).then(() => {
          awake = true;
        });
        await pass(20);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(awake).toBe(false);
        abort.abort(new Error('stop'));
        await sleeping;
      },
    );

    test('does not sleep with a signal that is aborted already', async () => {
      const { clock } = makeSubject();
      await clock.sleep(A_WEEK_MS, AbortSignal.abort());
    });
  });
}
