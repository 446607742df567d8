import { beforeEach, describe, expect, it } from 'vitest';
import { AT, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

const DAY_MS = 24 * 3_600_000;
/** More than the calls of a test take. */
const SLACK_MS = 60_000;

/** What every `ReplicaStore` does. */
export function replicaStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ReplicaStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    const beat = (owner: string, version = '0.1.0'): Promise<void> =>
      stores.replicas.beat({ owner, version, startedAt: AT, keyIds: null });

    it('lists who beats, the freshest first, and how long ago', async () => {
      await beat('one');
      await stores.passTime(600_000);
      await beat('two');
      const [two, one, ...none] = await stores.replicas.list();
      expect(none).toEqual([]);
      expect(two).toMatchObject({ owner: 'two', version: '0.1.0', startedAt: AT });
      expect(two?.seenAgoMs).toBeGreaterThanOrEqual(0);
      expect(two?.seenAgoMs).toBeLessThan(SLACK_MS);
      expect(one?.owner).toBe('one');
      expect(one?.seenAgoMs).toBeGreaterThanOrEqual(600_000);
      expect(one?.seenAgoMs).toBeLessThan(600_000 + SLACK_MS);
    });

    it('renews the entry of a process', async () => {
      await beat('one', '0.1.0');
      await stores.passTime(600_000);
      await beat('one', '0.2.0');
      const [one, ...none] = await stores.replicas.list();
      expect(none).toEqual([]);
      expect(one?.version).toBe('0.2.0');
      expect(one?.seenAgoMs).toBeLessThan(SLACK_MS);
    });

    it('keeps which keys a process has', async () => {
      const own = { owner: 'one', version: '0.1.0', startedAt: AT };
      await stores.replicas.beat({ ...own, keyIds: ['AAAA_-AA', 'BBBBBBBB'] });
      expect(await stores.replicas.list()).toMatchObject([{ keyIds: ['AAAA_-AA', 'BBBBBBBB'] }]);
      await stores.replicas.beat({ ...own, keyIds: ['BBBBBBBB'] });
      expect(await stores.replicas.list()).toMatchObject([{ keyIds: ['BBBBBBBB'] }]);
      await stores.replicas.beat({ ...own, keyIds: null });
      expect(await stores.replicas.list()).toMatchObject([{ keyIds: null }]);
    });

    it('deletes those that leave, and those not seen for a day', async () => {
      await beat('leaving');
      await beat('dead');
      await stores.replicas.leave('leaving');
      await stores.replicas.leave('never there');
      await stores.passTime(DAY_MS + 1_000);
      await beat('alive');
      expect((await stores.replicas.list()).map(({ owner }) => owner)).toEqual(['alive']);
    });

    it('lists a hundred at most', async () => {
      for (let index = 0; index < 105; index += 1) await beat(`replica-${index}`);
      expect(await stores.replicas.list()).toHaveLength(100);
    });
  });
}
