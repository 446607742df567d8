import { beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../src/domain/events/event-filter.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { AT, type MakeStores, noRecord, type StoresSubject, trailOf } from '../support/stores-subject.ts';

export const newSubscription = (hash: string, ownerId: number | null = null) => ({
  endpointHash: hash.padEnd(64, '0'),
  ownerId,
  filter: EVERYTHING,
  createdAt: AT,
});

const sealed = (id: number): string => `sealed for ${id}`;

/** What every `PushStore` does. */
export function pushStoreContract(name: string, makeStores: MakeStores): void {
  describe(`PushStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps subscriptions of users and without a user, the oldest first', async () => {
      const { subscriptions } = stores;
      const one = await subscriptions.put(newSubscription('a', 7), sealed, trailOf('push.subscribe', 'push'));
      const two = await subscriptions.put(newSubscription('b'), sealed, noRecord);
      expect(one).toEqual({ ...newSubscription('a', 7), id: one.id, sealedSubscription: sealed(one.id) });
      expect(await subscriptions.list()).toEqual([one, two]);
      expect(await subscriptions.list(7)).toEqual([one]);
      expect(await subscriptions.list(null)).toEqual([two]);
      expect(await subscriptions.find(two.id)).toEqual(two);
      expect(await subscriptions.find(99)).toBeNull();
      expect((await stores.record()).audit).toEqual([`push.subscribe push:${one.id}`]);
    });

    it('replaces what a browser sent before, under its id', async () => {
      const { subscriptions } = stores;
      const before = await subscriptions.put(newSubscription('a'), sealed, noRecord);
      const filter = { events: ['backup.stale'], minSeverity: 'critical', tags: ['web'] } as const;
      const again = { ...newSubscription('a', 3), filter, createdAt: AT + 1 };
      const after = await subscriptions.put(again, (id) => `anew ${id}`, noRecord);
      expect(after).toEqual({ ...before, ownerId: 3, filter, sealedSubscription: `anew ${before.id}` });
      expect(await subscriptions.list()).toEqual([after]);
    });

    it('deletes one', async () => {
      const { subscriptions } = stores;
      const { id } = await subscriptions.put(newSubscription('a'), sealed, noRecord);
      await subscriptions.remove(id, {});
      expect(await subscriptions.list()).toEqual([]);
      await expectRefusal(subscriptions.remove(id, {}), 'subscription_not_found');
    });
  });
}
