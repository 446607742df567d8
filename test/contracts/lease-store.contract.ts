import { beforeEach, describe, expect, it } from 'vitest';
import type { MakeStores, StoresSubject } from '../support/stores-subject.ts';

const MINUTE_MS = 60_000;

/** What every `LeaseStore` does. */
export function leaseStoreContract(name: string, makeStores: MakeStores): void {
  describe(`LeaseStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('gives a lease to one owner at a time, and each name has its own', async () => {
      const { leases } = stores;
      expect(await leases.hold('sweep', 'a', MINUTE_MS)).toBe(true);
      expect(await leases.hold('sweep', 'b', MINUTE_MS)).toBe(false);
      expect(await leases.hold('prune', 'b', MINUTE_MS)).toBe(true);
    });

    it('runs out, unless its owner renews it', async () => {
      const { leases, passTime } = stores;
      await leases.hold('sweep', 'a', MINUTE_MS);
      await passTime(40_000);
      expect(await leases.hold('sweep', 'a', MINUTE_MS)).toBe(true);
      await passTime(40_000);
      expect(await leases.hold('sweep', 'b', MINUTE_MS)).toBe(false);
      await passTime(20_001);
      expect(await leases.hold('sweep', 'b', MINUTE_MS)).toBe(true);
      expect(await leases.hold('sweep', 'a', MINUTE_MS)).toBe(false);
    });

    it('is free once its owner gives it up, and not when another does', async () => {
      const { leases } = stores;
      await leases.hold('sweep', 'a', MINUTE_MS);
      await leases.release('sweep', 'b');
      expect(await leases.hold('sweep', 'b', MINUTE_MS)).toBe(false);
      await leases.release('sweep', 'a');
      await leases.release('sweep', 'a');
      expect(await leases.hold('sweep', 'b', MINUTE_MS)).toBe(true);
    });

    it('is free once its owner is gone, like all that it held', async () => {
      const { leases } = stores;
      for (const each of ['sweep', 'prune']) await leases.hold(each, 'a', MINUTE_MS);
      await leases.hold('deliver', 'b', MINUTE_MS);
      await leases.releaseAll('a');
      for (const each of ['sweep', 'prune']) expect(await leases.hold(each, 'c', MINUTE_MS)).toBe(true);
      expect(await leases.hold('deliver', 'c', MINUTE_MS)).toBe(false);
    });

    it.each(['never held before', 'run out'])(
      'goes to exactly one of many at once where it was %s',
      async (was) => {
        const { leases, passTime } = stores;
        if (was === 'run out') {
          await leases.hold('race', 'former', 1);
          await passTime(10);
        }
        const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
        const told = await Promise.all(owners.map((owner) => leases.hold('race', owner, MINUTE_MS)));
        expect(told.filter(Boolean)).toHaveLength(1);
      },
    );
  });
}
