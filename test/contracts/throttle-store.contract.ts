import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/domain/base/instant.ts';
import { AT, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

const RULE = { free: 2, longestWait: MINUTE };

/** What every `ThrottleStore` does. */
export function throttleStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ThrottleStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    const wait = async (subject: string, at = AT): Promise<number> =>
      (await stores.throttles.count(subject, at, RULE)).wait;

    it('lets the free tries through, then makes each subject wait for itself', async () => {
      for (let i = 0; i < 3; i += 1) expect(await wait('account:ann')).toBe(0);
      expect(await wait('account:ann')).toBe(SECOND);
      expect(await wait('account:ann', AT + 400)).toBe(600);
      expect(await wait('account:bob')).toBe(0);
      expect(await wait('account:ann', AT + SECOND)).toBe(0);
      expect(await wait('account:ann', AT + SECOND)).toBe(2 * SECOND);
    });

    it('counts the failures, and marks the first refusal of each wait', async () => {
      const seen = [];
      for (const at of [AT, AT, AT, AT, AT, AT + SECOND, AT + SECOND, AT + SECOND]) {
        const { failures, isFirstRefusal } = await stores.throttles.count('a', at, RULE);
        seen.push([failures, isFirstRefusal]);
      }
      const [no, yes] = [false, true];
      expect(seen).toEqual([
        [1, no],
        [2, no],
        [3, no],
        [3, yes],
        [3, no],
        [4, no],
        [4, yes],
        [4, no],
      ]);
    });

    it('counts tries at the same time one by one', async () => {
      const tries = await Promise.all(
        Array.from({ length: 10 }, () => stores.throttles.count('a', AT, RULE)),
      );
      expect(tries.filter((each) => each.wait === 0)).toHaveLength(3);
      expect(tries.filter((each) => each.isFirstRefusal)).toHaveLength(1);
    });

    it('takes one failure back, or all of them', async () => {
      const { throttles } = stores;
      for (let i = 0; i < 3; i += 1) await wait('a');
      await throttles.forgive('a');
      expect(await wait('a')).toBe(0);
      expect(await wait('a')).toBe(SECOND);
      await throttles.clear('a');
      for (let i = 0; i < 3; i += 1) expect(await wait('a')).toBe(0);
      await throttles.forgive('never seen');
      await throttles.clear('never seen');
    });

    it('deletes old ones, a limited number at a time', async () => {
      const { throttles } = stores;
      for (const subject of ['a', 'b', 'c']) await wait(subject);
      await wait('d', AT + 10);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(2);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(1);
      expect(await throttles.forgetBefore(AT + 10, 2)).toBe(0);
    });

    it('keeps the latest of one kind, and all of the others', async () => {
      const { throttles } = stores;
      for (const [i, subject] of ['net:a', 'net:b', 'net:c', 'net:d', 'neu:e', 'net', 'a'].entries()) {
        for (let tries = 0; tries < 3; tries += 1) await wait(subject, AT + i);
      }
      expect(await throttles.keepLatest('net:', 1, 2)).toBe(2);
      expect(await throttles.keepLatest('net:', 1, 2)).toBe(1);
      expect(await throttles.keepLatest('net:', 1, 2)).toBe(0);
      const at = AT + 10;
      const waits = await Promise.all(['net:a', 'net:d', 'neu:e', 'net', 'a'].map((each) => wait(each, at)));
      expect(waits.map((each) => each > 0)).toEqual([false, true, true, true, true]);
    });
  });
}
