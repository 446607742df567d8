import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/domain/instant.ts';
import { AT, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

const RULE = { free: 2, longestWait: MINUTE };

/** What every `ThrottleStore` does. */
export function throttleStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ThrottleStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('lets the free tries through, then makes each subject wait for itself', async () => {
      const { throttles } = stores;
      for (let i = 0; i < 3; i += 1) expect(await throttles.count('account:ann', AT, RULE)).toBe(0);
      expect(await throttles.count('account:ann', AT, RULE)).toBe(SECOND);
      expect(await throttles.count('account:ann', AT + 400, RULE)).toBe(600);
      expect(await throttles.count('account:bob', AT, RULE)).toBe(0);
      expect(await throttles.count('account:ann', AT + SECOND, RULE)).toBe(0);
      expect(await throttles.count('account:ann', AT + SECOND, RULE)).toBe(2 * SECOND);
    });

    it('counts tries at the same time one by one', async () => {
      const { throttles } = stores;
      const waits = await Promise.all(Array.from({ length: 10 }, () => throttles.count('a', AT, RULE)));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    });

    it('takes one failure back, or all of them', async () => {
      const { throttles } = stores;
      for (let i = 0; i < 3; i += 1) await throttles.count('a', AT, RULE);
      await throttles.forgive('a');
      expect(await throttles.count('a', AT, RULE)).toBe(0);
      expect(await throttles.count('a', AT, RULE)).toBe(SECOND);
      await throttles.clear('a');
      for (let i = 0; i < 3; i += 1) expect(await throttles.count('a', AT, RULE)).toBe(0);
      await throttles.forgive('never seen');
      await throttles.clear('never seen');
    });

    it('forgets what lies back, so many at a time', async () => {
      const { throttles } = stores;
      for (const subject of ['a', 'b', 'c']) await throttles.count(subject, AT, RULE);
      await throttles.count('d', AT + 10, RULE);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(2);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(1);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(0);
    });
  });
}
