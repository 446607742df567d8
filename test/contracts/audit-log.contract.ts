import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry, AuditFilter } from '../../src/domain/events/audit-entry.ts';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const entry = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  at: AT,
  actorKind: 'token',
  actorId: 3,
  actorName: 'ci',
  address: '192.0.2.7',
  action: 'job.request',
  object: 'server:1',
  outcome: 'scope_missing',
  detail: { jobType: 'backup', deep: { list: [1, null, 'ü'] } },
  ...over,
});

const ALL = { limit: 100, offset: 0 };

/** What every `AuditLog` does. */
export function auditLogContract(name: string, makeStores: MakeStores): void {
  describe(`AuditLog: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps an entry as it is, the unknown among it', async () => {
      const unknown = entry({ actorKind: 'operator', actorId: null, address: null, detail: {} });
      await stores.audit.record(entry());
      await stores.audit.record(unknown);
      const { items, total } = await stores.audit.list({}, ALL);
      expect(total).toBe(2);
      expect(items).toEqual([
        { ...unknown, id: expect.any(Number) },
        { ...entry(), id: expect.any(Number) },
      ]);
    });

    it('keeps all of several entries, or none', async () => {
      await stores.audit.recordAll([entry(), entry({ action: 'job.start' })]);
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      await expect(stores.audit.recordAll([entry(), entry({ detail: circular })])).rejects.toThrow();
      expect((await stores.audit.list({}, ALL)).total).toBe(2);
    });

    it('shows what changes left behind among the rest, newest first', async () => {
      await addServer(stores, 'quiet');
      const { id } = await stores.servers.add(newServer('web'), AT, trailOf('server.add', 'server'));
      await stores.audit.record(entry());
      const { items } = await stores.audit.list({}, ALL);
      expect(items.map(({ action, object }) => `${action} ${object}`)).toEqual([
        'job.request server:1',
        `server.add server:${id}`,
      ]);
    });

    it('finds words in the actor, action, object, details and the name of the server', async () => {
      const id = await addServer(stores, 'web-01');
      await stores.audit.record(
        entry({ actorName: 'Ann', action: 'token.rotate', object: 'token:7', detail: { note: '50%_off' } }),
      );
      await stores.audit.record(entry({ object: `server:${id}`, detail: { package: 'openssl' } }));
      const total = async (text: string): Promise<number> => (await stores.audit.list({ text }, ALL)).total;
      const all = ['ann', 'Token ROTATE', 'token:7', 'OpenSSL job', 'WEB-0', '%_', 'ann openssl'];
      expect(await Promise.all(all.map(total))).toEqual([1, 1, 1, 1, 1, 1, 0]);
    });

    it('leaves out actions', async () => {
      for (const action of ['job.request', 'job.start', 'server.edit'])
        await stores.audit.record(entry({ action }));
      const { items } = await stores.audit.list({ except: ['job.start', 'job.finish'] }, ALL);
      expect(items.map(({ action }) => action)).toEqual(['server.edit', 'job.request']);
    });

    it('filters by object and by who, and pages', async () => {
      for (let index = 0; index < 5; index += 1)
        await stores.audit.record(entry({ object: `job:${index % 2}` }));
      await stores.audit.record(entry({ actorKind: 'user' }));
      await stores.audit.record(entry({ actorId: 4 }));
      const total = async (filter: Parameters<StoresSubject['audit']['list']>[0]): Promise<number> =>
        (await stores.audit.list(filter, ALL)).total;
      expect(await total({ object: 'job:0' })).toBe(3);
      expect(await total({ actorKind: 'user' })).toBe(1);
      expect(await total({ actorKind: 'token', actorId: 4 })).toBe(1);
      expect(await total({ actorName: entry().actorName })).toBe(7);
      expect(await total({ actorName: 'nobody' })).toBe(0);
      const window = await stores.audit.list({ object: 'job:0' }, { limit: 2, offset: 2 });
      expect(window).toMatchObject({ total: 3, limit: 2, offset: 2 });
      expect(window.items).toHaveLength(1);
    });

    it('filters by action, server, outcome and time', async () => {
      await stores.audit.record(
        entry({ action: 'job.request', object: 'job:1', outcome: 'done', detail: { serverId: 7 } }),
      );
      await stores.audit.record(entry({ action: 'job', object: 'server:7', outcome: 'done', at: AT + 10 }));
      await stores.audit.record(
        entry({ action: 'jobs.request', object: 'server:70', outcome: 'scope_missing' }),
      );
      const objects = async (filter: AuditFilter): Promise<readonly string[]> =>
        (await stores.audit.after(filter, 0, 10)).map(({ object }) => object);
      expect(await objects({ action: 'job' })).toEqual(['job:1', 'server:7']);
      expect(await objects({ action: 'job.request' })).toEqual(['job:1']);
      expect(await objects({ serverId: 7 })).toEqual(['job:1', 'server:7']);
      expect(await objects({ outcome: 'refused' })).toEqual(['server:70']);
      expect(await objects({ outcome: 'done', from: AT + 10 })).toEqual(['server:7']);
      expect(await objects({ until: AT + 10 })).toEqual(['job:1', 'server:70']);
    });

    it('gives all of it in the order in which it was written, piece by piece', async () => {
      for (let index = 0; index < 5; index += 1) await stores.audit.record(entry({ object: `job:${index}` }));
      const first = await stores.audit.after({}, 0, 3);
      const rest = await stores.audit.after({}, first.at(-1)?.id ?? 0, 3);
      expect([...first, ...rest].map(({ object }) => object)).toEqual([0, 1, 2, 3, 4].map((n) => `job:${n}`));
    });
  });
}
