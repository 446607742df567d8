import { beforeEach, describe, expect, it } from 'vitest';
import type { NewSession } from '../../src/domain/access/session.ts';
import type { User } from '../../src/domain/access/user.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const hash = (text: string): string => text.padEnd(64, '0');

/** What every `SessionStore` does. */
export function sessionStoreContract(name: string, makeStores: MakeStores): void {
  describe(`SessionStore: ${name}`, () => {
    let stores: StoresSubject;
    let ann: User;
    let bob: User;
    beforeEach(async () => {
      stores = await makeStores();
      const by = { role: 'viewer', createdBy: 'test', createdAt: AT } as const;
      ann = await stores.users.add({ ...by, name: 'ann' }, noRecord);
      bob = await stores.users.add({ ...by, name: 'bob' }, noRecord);
    });

    const newSession = (user: User, over: Partial<NewSession> = {}): NewSession => ({
      userId: user.id,
      stage: 'full',
      provider: null,
      hasTwoFactors: false,
      createdAt: AT,
      seenAt: AT,
      confirmedAt: AT,
      address: '203.0.113.7',
      agent: 'Browser/1.0',
      deviceId: null,
      ...over,
    });

    it('keeps a session and finds it, with its user, by the hash alone', async () => {
      const { sessions, record } = stores;
      const wanted = newSession(ann, { deviceId: 5 });
      const session = await sessions.add(wanted, hash('a'), trailOf('session.start', 'session'));
      expect(session).toEqual({ ...wanted, id: session.id });
      expect(await sessions.findByHash(hash('a'))).toEqual({ session, user: ann });
      expect(await sessions.findByHash(hash('A'))).toBeNull();
      expect((await record()).audit).toEqual([`session.start session:${session.id}`]);
      await expect(sessions.add(newSession(ann), hash('b'), brokenRecord)).rejects.toThrow('no record today');
      expect(await sessions.findByHash(hash('b'))).toBeNull();
    });

    it('remembers its last use, never moved back, and when the password was given, with a new secret', async () => {
      const { sessions } = stores;
      const { id } = await sessions.add(newSession(ann, { stage: 'code' }), hash('a'), noRecord);
      await sessions.touch(id, AT + 10);
      await sessions.touch(id, AT + 5);
      await sessions.confirm(id, AT + 7, hash('b'));
      expect(await sessions.findByHash(hash('a'))).toBeNull();
      expect((await sessions.findByHash(hash('b')))?.session).toEqual({
        ...newSession(ann, { stage: 'code', seenAt: AT + 10, confirmedAt: AT + 7 }),
        id,
      });
    });

    it('ends one of its user, all of them, or all but one', async () => {
      const { sessions, record } = stores;
      const [a, b, c] = await Promise.all(
        ['a', 'b', 'c'].map((each, i) =>
          sessions.add(newSession(ann, { seenAt: AT + i }), hash(each), noRecord),
        ),
      );
      if (!a || !b || !c) throw new Error('three were added');
      await sessions.add(newSession(bob), hash('d'), noRecord);
      expect((await sessions.list(ann.id)).map(({ id }) => id)).toEqual([c.id, b.id, a.id]);
      expect(await sessions.remove(bob.id, a.id, trailOf('session.end', 'session')(a))).toBe(false);
      expect(await sessions.remove(ann.id, a.id, trailOf('session.end', 'session')(a))).toBe(true);
      expect(await sessions.findByHash(hash('a'))).toBeNull();
      expect(await sessions.removeAll(ann.id, b.id)).toBe(1);
      expect((await sessions.list(ann.id)).map(({ id }) => id)).toEqual([b.id]);
      expect(await sessions.removeAll(ann.id, null)).toBe(1);
      expect(await sessions.list(bob.id)).toHaveLength(1);
      expect((await record()).audit).toEqual([`session.end session:${a.id}`]);
    });

    it('deletes those not used since, a limited number at a time', async () => {
      const { sessions } = stores;
      for (const each of ['a', 'b', 'c']) await sessions.add(newSession(ann), hash(each), noRecord);
      await sessions.add(newSession(ann, { seenAt: AT + 5 }), hash('d'), noRecord);
      expect(await sessions.forgetUnusedSince(AT + 5, 2)).toBe(2);
      expect(await sessions.forgetUnusedSince(AT + 5, 2)).toBe(1);
      expect(await sessions.forgetUnusedSince(AT + 5, 2)).toBe(0);
      expect(await sessions.findByHash(hash('d'))).not.toBeNull();
    });
  });
}
