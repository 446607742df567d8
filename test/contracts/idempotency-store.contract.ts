import { beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/application/ports/base/idempotency-store.ts';
import type { MakeStores, StoresSubject } from '../support/stores-subject.ts';

const LEASE = 30_000;
const KEPT = 24 * 60 * 60_000;
const ID = 'a'.repeat(64);
const HASH = '1'.repeat(64);
const REPLY = { status: 202, body: '{"text":"Grüße \\u0000 \ud83d\ude00"}' };
const BEGUN = { kind: 'begun' };

/** What every `IdempotencyStore` does. */
export function idempotencyStoreContract(name: string, makeStores: MakeStores): void {
  describe(`IdempotencyStore: ${name}`, () => {
    let stores: StoresSubject;
    let requests: IdempotencyStore;
    beforeEach(async () => {
      stores = await makeStores();
      requests = stores.requests;
    });

    const begin = (owner: string, over: { id?: string; hash?: string } = {}) =>
      requests.begin({ id: ID, hash: HASH, ...over }, owner, LEASE, KEPT);

    it('lets the first start, then returns its reply', async () => {
      expect(await begin('a')).toEqual(BEGUN);
      expect(await begin('b')).toEqual({ kind: 'under_way' });
      expect(await requests.answer({ id: ID, owner: 'a', reply: REPLY })).toBe(true);
      for (const owner of ['a', 'b']) {
        expect(await begin(owner)).toEqual({ kind: 'answered', reply: REPLY });
      }
      expect(await begin('b', { id: 'b'.repeat(64) })).toEqual(BEGUN);
    });

    it('tells a request that says something else, before and after the reply', async () => {
      await begin('a');
      const other = { hash: '2'.repeat(64) };
      expect(await begin('b', other)).toEqual({ kind: 'other_request' });
      await requests.answer({ id: ID, owner: 'a', reply: REPLY });
      expect(await begin('b', other)).toEqual({ kind: 'other_request' });
      await stores.passTime(LEASE);
      expect(await begin('b', other)).toEqual({ kind: 'other_request' });
    });

    it('deletes an attempt that was given up, if its owner says so', async () => {
      await begin('a');
      await requests.giveUp(ID, 'b');
      expect(await begin('b')).toEqual({ kind: 'under_way' });
      await requests.giveUp(ID, 'a');
      await requests.giveUp(ID, 'a');
      expect(await begin('b', { hash: '2'.repeat(64) })).toEqual(BEGUN);
    });

    it('keeps no reply from a process that is not, or no longer, the owner', async () => {
      expect(await requests.answer({ id: ID, owner: 'a', reply: REPLY })).toBe(false);
      await begin('a');
      expect(await requests.answer({ id: ID, owner: 'b', reply: REPLY })).toBe(false);
      await requests.answer({ id: ID, owner: 'a', reply: REPLY });
      expect(await requests.answer({ id: ID, owner: 'a', reply: { ...REPLY, status: 500 } })).toBe(false);
      expect(await requests.renew(ID, 'a', LEASE)).toBe(false);
      await requests.giveUp(ID, 'a');
      expect(await begin('b')).toEqual({ kind: 'answered', reply: REPLY });
    });

    it('lets another start once the lease of a dead one has expired', async () => {
      await begin('dead');
      await stores.passTime(20_000);
      expect(await requests.renew(ID, 'dead', LEASE)).toBe(true);
      await stores.passTime(20_000);
      expect(await begin('b')).toEqual({ kind: 'under_way' });
      await stores.passTime(10_001);
      expect(await begin('b')).toEqual(BEGUN);
      expect(await requests.renew(ID, 'dead', LEASE)).toBe(false);
      expect(await requests.answer({ id: ID, owner: 'dead', reply: REPLY })).toBe(false);
      await requests.giveUp(ID, 'dead');
      expect(await begin('c')).toEqual({ kind: 'under_way' });
      expect(await requests.answer({ id: ID, owner: 'b', reply: REPLY })).toBe(true);
    });

    it('counts an old request as new, unless it is still running', async () => {
      await begin('a');
      await requests.answer({ id: ID, owner: 'a', reply: REPLY });
      await stores.passTime(KEPT - 1_000);
      expect(await begin('b')).toMatchObject({ kind: 'answered' });
      await stores.passTime(1_001);
      expect(await begin('b', { hash: '2'.repeat(64) })).toEqual(BEGUN);
      expect(await begin('c')).toEqual({ kind: 'other_request' });
      await stores.passTime(KEPT + 1);
      expect(await requests.renew(ID, 'b', LEASE)).toBe(true);
      expect(await begin('c')).toEqual({ kind: 'other_request' });
    });

    it.each(['never seen', 'left by one that died', 'of long ago'])(
      'lets exactly one of many concurrent ones start a request %s',
      async (was) => {
        if (was !== 'never seen') await begin('former');
        if (was === 'of long ago') await requests.answer({ id: ID, owner: 'former', reply: REPLY });
        if (was !== 'never seen') await stores.passTime(was === 'of long ago' ? KEPT + 1 : LEASE + 1);
        const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
        const told = (await Promise.all(owners.map((owner) => begin(owner)))).map(({ kind }) => kind);
        expect(told.toSorted()).toEqual(['begun', ...Array.from({ length: 19 }, () => 'under_way')]);
        const winner = owners[told.indexOf('begun')] ?? '';
        expect(await requests.answer({ id: ID, owner: winner, reply: REPLY })).toBe(true);
      },
    );

    it('prunes what is old and not running, a limited number at a time', async () => {
      const id = (index: number): string => String(index).padStart(64, '0');
      for (let index = 0; index < 5; index += 1) {
        await begin('a', { id: id(index) });
        if (index > 0) await requests.answer({ id: id(index), owner: 'a', reply: REPLY });
      }
      expect(await requests.prune(KEPT, 10)).toBe(0);
      await stores.passTime(KEPT + 1);
      await requests.renew(id(0), 'a', LEASE);
      await begin('a', { id: id(9) });
      expect(await requests.prune(KEPT, 3)).toBe(3);
      expect(await requests.prune(KEPT, 3)).toBe(1);
      expect(await requests.prune(KEPT, 3)).toBe(0);
      expect(await begin('b', { id: id(0) })).toEqual({ kind: 'under_way' });
      expect(await begin('b', { id: id(9) })).toEqual({ kind: 'under_way' });
    });
  });
}
