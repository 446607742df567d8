import { beforeEach, describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/domain/events/notification-words.ts';
import { AT, type MakeStores, noRecord, type StoresSubject } from '../support/stores-subject.ts';

const DAY = 24 * 3_600_000;

/** What every `ClockRecord` does. */
export function clockRecordContract(name: string, makeStores: MakeStores): void {
  describe(`ClockRecord: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps the time that was seen last', async () => {
      const { clockRecord } = stores;
      expect(await clockRecord.seenAt()).toBeNull();
      await clockRecord.see(AT);
      await clockRecord.see(AT - DAY);
      expect(await clockRecord.seenAt()).toBe(AT - DAY);
    });

    it('keeps jumps until they are over', async () => {
      const { clockRecord } = stores;
      await clockRecord.begin({ kind: 'ahead', fromAt: AT, toAt: AT + DAY });
      await clockRecord.begin({ kind: 'back', fromAt: AT + DAY, toAt: AT });
      const [ahead, back] = await clockRecord.open();
      expect(ahead).toMatchObject({ kind: 'ahead', fromAt: AT, toAt: AT + DAY, acknowledged: false });
      expect(back).toMatchObject({ kind: 'back', fromAt: AT + DAY, toAt: AT });
      await clockRecord.end(ahead?.id ?? 0, AT);
      expect(await clockRecord.open()).toEqual([back]);
    });

    it('are alerts, and know when a user has acknowledged them', async () => {
      const { clockRecord, watch, notifications } = stores;
      await clockRecord.begin({ kind: 'ahead', fromAt: AT, toAt: AT + DAY });
      const thresholds = {
        now: AT,
        backupsStaleBefore: AT,
        tokensExpireBefore: AT,
        disksFullBefore: AT,
        supportEndsBefore: AT,
      };
      expect(await watch.begin('clock.jumped', thresholds, wordsOf, 9)).toBe(1);
      const terms = { beganUpTo: AT, at: AT, isMuted: () => false, event: () => null };
      expect(await watch.open('clock.jumped', terms, 9)).toBe(1);
      const all = { limit: 9, offset: 0 };
      const { items } = await notifications.list({ serverIds: null }, all);
      expect(items).toMatchObject([{ kind: 'clock.jumped', variant: 'ahead', severity: 'critical' }]);
      await notifications.acknowledge(items[0]?.id ?? 0, 'cli:me', AT, noRecord);
      expect(await clockRecord.open()).toMatchObject([{ acknowledged: true }]);
      await clockRecord.end((await clockRecord.open())[0]?.id ?? 0, AT);
      expect(await watch.end('clock.jumped', thresholds, () => null, 9)).toBe(1);
    });

    it('brings nothing back where all times are right', async () => {
      expect(await stores.clockRecord.bringBack(AT)).toBe(0);
    });
  });
}
