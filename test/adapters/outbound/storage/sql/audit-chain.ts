import type { Knex } from 'knex';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { signAudit } from '../../../../../src/adapters/outbound/storage/sql/stores/record-change.ts';
import { SqlAuditChain } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-chain.ts';
import { SqlAuditLog } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-audit-log.ts';
import { SqlHistoryStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-history-store.ts';
import { SqlHostChangeStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-host-change-store.ts';
import { SqlInventoryStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-inventory-store.ts';
import { PruneAudit } from '../../../../../src/application/events/prune-audit.ts';
import { SealAudit } from '../../../../../src/application/events/seal-audit.ts';
import {
  type AuditVerdict,
  type NotedHead,
  VerifyAudit,
} from '../../../../../src/application/events/verify-audit.ts';
import { ForgetHistory } from '../../../../../src/application/service/forget-history.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { DAY } from '../../../../../src/domain/base/instant.ts';
import type { AuditFault } from '../../../../../src/domain/events/audit-chain.ts';
import { auditEntry } from '../../../../../src/domain/events/audit-entry.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { tokenActor } from '../../../../support/application-scene.ts';
import { macOf } from '../../../../support/audit-mac.ts';
import { empty, type MakeDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { AT } from '../../../../support/stores-subject.ts';

const root = Actor.operator('cli:root');
const SIGNAL = new AbortController().signal;

const mac = macOf('the key');

const OF = (id: number) => (knex: Knex) => knex('audit_entries').where({ id });

const macOfEntry = async (knex: Knex, id: number): Promise<string | undefined> =>
  (await OF(id)(knex).first<{ mac: string } | undefined>('mac'))?.mac;

/** Attacks with the database but without the key, and how they are reported. */
const TAMPERED: readonly (readonly [
  name: string,
  change: (knex: Knex) => PromiseLike<unknown>,
  fault: Partial<AuditFault>,
])[] = [
  ['a detail is changed', (knex) => OF(4)(knex).update({ detail: '{"n":99}' }), { what: 'changed', id: 4 }],
  ['a name is changed', (knex) => OF(5)(knex).update({ actor_name: 'eve' }), { what: 'changed', id: 5 }],
  ['a time is changed', (knex) => OF(3)(knex).update({ at: AT - 5 }), { what: 'changed', id: 3 }],
  ['an address is taken out', (knex) => OF(3)(knex).update({ address: null }), { what: 'changed', id: 3 }],
  ['an outcome is changed', (knex) => OF(6)(knex).update({ outcome: 'failed' }), { what: 'changed', id: 6 }],
  [
    'a signature is taken out',
    (knex) => OF(6)(knex).update({ signature: null }),
    { what: 'inserted', id: 6 },
  ],
  ['an old entry is changed', (knex) => OF(1)(knex).update({ object: 'job:77' }), { what: 'moved', id: 1 }],
  ['an old entry gets another id', (knex) => OF(2)(knex).update({ id: 99 }), { what: 'inserted', id: 99 }],
  ['one is removed', (knex) => OF(4)(knex).delete(), { what: 'missing', id: null, seq: 4 }],
  ['the first is removed', (knex) => OF(1)(knex).delete(), { what: 'missing', id: null, seq: 1 }],
  ['the last is removed', (knex) => OF(8)(knex).delete(), { what: 'missing', id: null, seq: 8 }],
  ['all are removed', (knex) => knex('audit_entries').delete(), { what: 'missing', seq: 1 }],
  [
    'two change their places',
    async (knex) => {
      const [one, other]: Record<string, unknown>[] = await knex('audit_entries')
        .whereIn('id', [4, 5])
        .orderBy('id')
        .select('seq', 'previous', 'mac');
      await OF(4)(knex).update({ seq: null });
      await OF(5)(knex).update({ ...one });
      await OF(4)(knex).update({ ...other });
    },
    { what: 'moved', id: 5, seq: 4 },
  ],
  [
    'one is put in between, with a place of its own',
    async (knex) => {
      await knex('audit_entries').where('seq', '>', 7).increment('seq', 1);
      const copy = (await OF(7)(knex).first()) as Record<string, unknown>;
      await knex('audit_entries').insert({ ...copy, id: 50, seq: 8, actor_name: 'eve' });
    },
    { what: 'changed', id: 50 },
  ],
  [
    'one is put in to be sealed',
    (knex) =>
      knex('audit_entries').insert({
        at: AT,
        actor_kind: 'user',
        actor_name: 'eve',
        action: 'x',
        object: 'y',
        outcome: 'done',
        detail: '{}',
      }),
    { what: 'inserted', seq: null },
  ],
  [
    'the end is cut off, and the head is put back',
    async (knex) => {
      const before = await macOfEntry(knex, 6);
      await knex('audit_entries').where('id', '>', 6).delete();
      await knex('audit_chain').update({ seq: 6, mac: before });
    },
    { what: 'head' },
  ],
  [
    'the beginning is cut off, as if it had been pruned',
    async (knex) => {
      const base = await macOfEntry(knex, 2);
      await knex('audit_entries').where('id', '<', 3).delete();
      await knex('audit_chain').update({ base_seq: 2, base_mac: base });
    },
    { what: 'head' },
  ],
  ['the head is removed', (knex) => knex('audit_chain').delete(), { what: 'head' }],
];

/** The chain of the audit log on a database: entries 1 and 2 are from before there was any. */
export function auditChainTests(makeDatabase: MakeDatabase): void {
  describe('the chain of the audit log', () => {
    let made: TestDatabase | undefined;
    let database: Database;
    let chain: SqlAuditChain;
    let seal: () => Promise<void>;
    let log: RecordingLogger;
    beforeEach(async () => {
      made ??= await makeDatabase();
      database = made.database;
      await empty(database);
      signAudit(database, mac);
      chain = new SqlAuditChain(database, mac);
      log = new RecordingLogger();
      const sealing = new SealAudit({ chain, clock: new FakeClock(AT), log, isNewDatabase: true });
      seal = () => sealing.execute(SIGNAL);
      await numbered(made.another(), 1, 2);
      await numbered(database, 3, 3);
      await seal();
      await numbered(database, 4, 8);
      await seal();
    });
    afterAll(() => made?.drop());

    async function numbered(to: Database, first: number, last: number): Promise<void> {
      for (let n = first; n <= last; n += 1) {
        const actor = tokenActor({ name: 'agent ü\uD800' });
        const entry = auditEntry(actor, AT + n, 'job.request', `job:${n}`, { n, serverId: 3 });
        await to.knex('audit_entries').where({ id: n }).delete();
        await new SqlAuditLog(to).record(entry);
        const newest = (await to.knex('audit_entries').max({ id: 'id' }).first()) as { id: number };
        if (newest.id !== n) await to.knex('audit_entries').where({ id: newest.id }).update({ id: n });
      }
    }
    const verify = (noted?: NotedHead): Promise<AuditVerdict> =>
      new VerifyAudit({ chain }).execute(root, { noted });

    it('contains what was written, also older entries, and reports what is not in the chain yet', async () => {
      expect(await verify()).toMatchObject({ fault: null, checked: 8, unsealed: 0, pruned: 0 });
      await numbered(database, 9, 9);
      const verdict = await verify();
      expect(verdict).toMatchObject({
        fault: null,
        checked: 8,
        unsealed: 1,
        head: { seq: 8, unsignedUpTo: 2 },
      });
      await seal();
      expect(await verify(verdict.head ?? undefined)).toMatchObject({ fault: null, checked: 9, unsealed: 0 });
      const [first, second] = await chain.sealed(0, 2);
      expect(second?.previous).toBe(first?.mac);
    });

    it.each(TAMPERED)('tells when %s', async (_, change, fault) => {
      await change(database.knex);
      expect((await verify()).fault).toMatchObject(fault);
      await seal().catch(() => {});
      expect((await verify()).fault).toMatchObject(
        fault.seq === null && fault.what === 'inserted' ? { what: 'inserted' } : fault,
      );
    });

    it('reports an entry that was changed before it entered the chain', async () => {
      await numbered(database, 9, 9);
      await OF(9)(database.knex).update({ detail: '{}' });
      expect((await verify()).fault).toMatchObject({ what: 'changed', id: 9, seq: null });
      await seal();
      expect((await verify()).fault).toMatchObject({ what: 'changed', id: 9, seq: 9 });
    });

    it('is neither continued from a head that someone else wrote, nor started again', async () => {
      await numbered(database, 9, 9);
      await database.knex('audit_chain').update({ seq: 7 });
      await expectRefusal(seal(), 'audit_broken');
      await expectRefusal(chain.prune(AT + 100, 10), 'audit_broken');
      await database.knex('audit_chain').delete();
      await expectRefusal(seal(), 'audit_broken');
    });

    it('finds a recorded head, and detects a different log', async () => {
      const noted = (await verify()).head ?? { seq: 0, mac: '' };
      expect((await verify({ seq: 8, mac: 'f'.repeat(64) })).fault).toMatchObject({ what: 'head' });
      expect((await verify({ ...noted, seq: 12 })).fault).toMatchObject({ what: 'head' });
      // An attacker with the key can rewrite all of it: but not so that it matches a noted head.
      await empty(database);
      await numbered(database, 1, 8);
      await seal();
      expect(await verify()).toMatchObject({ fault: null });
      expect((await verify(noted)).fault).toMatchObject({ what: 'head' });
    });

    it('records when it starts, and warns when it starts again: all of it was deleted', async () => {
      const begins = expect.stringContaining('started a new audit log chain') as string;
      expect(log.messages('info')).toEqual(['started the audit log chain']);
      expect(log.messages('warn')).toEqual([]);
      await empty(database);
      await seal();
      expect(log.messages('warn')).toEqual([]);
      await numbered(database, 1, 1);
      await seal();
      expect(log.messages('warn')).toEqual([begins]);
    });

    it('cannot be made by another key', async () => {
      const other = new VerifyAudit({ chain: new SqlAuditChain(database, macOf('another key')) });
      expect((await other.execute(root)).fault).toMatchObject({ what: 'head' });
    });

    it('loses its oldest entries without losing what verifies the rest', async () => {
      const prune = new PruneAudit({
        chain,
        audit: new SqlAuditLog(database),
        clock: new FakeClock(AT + 20),
      });
      const noted = (await chain.sealed(2, 1))[0] ?? { seq: 0, mac: '' };
      await expectRefusal(prune.execute(tokenActor(), AT + 4), 'role_missing');
      expect(await prune.execute(root, AT)).toBe(0);
      expect(await prune.execute(root, AT + 4)).toBe(3);
      expect(await verify()).toMatchObject({ fault: null, checked: 5, pruned: 3, unsealed: 1 });
      await seal();
      expect(await verify(noted)).toMatchObject({ fault: null, checked: 6 });
      expect((await chain.sealed(0, 1))[0]).toMatchObject({ id: 4, seq: 4 });
      await OF(4)(database.knex).delete();
      expect((await verify()).fault).toMatchObject({ what: 'missing', seq: 4 });
      expect(await prune.execute(root, AT + 1_000_000)).toBe(5);
    });

    it('is pruned with the rest of the history if configured, and verifies afterwards', async () => {
      const clock = new FakeClock(AT + 5 + 30 * DAY);
      const pruneAudit = new PruneAudit({ chain, audit: new SqlAuditLog(database), clock });
      const forget = (audit: number): Promise<void> =>
        new ForgetHistory({
          history: new SqlHistoryStore(database),
          inventories: new SqlInventoryStore(database),
          hostChanges: new SqlHostChangeStore(database),
          pruneAudit,
          clock,
          kept: { jobs: 0, logs: 0, events: 0, notifications: 0, audit },
        }).execute(SIGNAL);
      await forget(0);
      expect(await verify()).toMatchObject({ fault: null, checked: 8, pruned: 0, unsealed: 0 });
      await forget(30);
      await seal();
      expect(await verify()).toMatchObject({ fault: null, checked: 5, pruned: 4, unsealed: 0 });
      const [newest] = (await new SqlAuditLog(database).list({}, { limit: 1, offset: 0 })).items;
      expect(newest).toMatchObject({
        actorName: 'house-keeping',
        action: 'audit.prune',
        detail: { entries: 4 },
      });
    });

    it('is for administrators', async () => {
      await expectRefusal(new VerifyAudit({ chain }).execute(tokenActor()), 'role_missing');
    });
  });
}
