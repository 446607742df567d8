import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../src/domain/base/instant.ts';
import type { NotificationOrder } from '../../src/domain/base/list-orders.ts';
import type { Severity } from '../../src/domain/events/event.ts';
import type { ServerNeed } from '../../src/domain/fleet/server-list.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const PAGE = { limit: 10, offset: 0 };

/** What every `NotificationStore` does. */
export function notificationStoreContract(name: string, makeStores: MakeStores): void {
  describe(`NotificationStore: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    let db: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
      db = await addServer(stores, 'db');
    });

    /** One that is open: of a job of some type that failed. */
    async function open(serverId: number, jobType: string, severity: Severity = 'critical'): Promise<number> {
      const condition = { kind: 'job.failed', subjectId: serverId, serverId, jobId: 7, at: AT } as const;
      const words = { severity, title: `${jobType} failed`, message: 'why', muted: false };
      const notice = { condition: { ...condition, name: 'x', variant: jobType }, words };
      await stores.deliveries.handOut([], [notice], AT);
      return (await stores.notifications.list({}, PAGE)).items[0]?.id ?? 0;
    }

    it('lists the newest first, by what is asked for', async () => {
      const { notifications } = stores;
      const first = await open(web, 'backup');
      const second = await open(db, 'backup', 'warning');
      const third = await open(web, 'os_patch', 'info');
      const ids = async (filter: Parameters<typeof notifications.list>[0]) =>
        (await notifications.list(filter, PAGE)).items.map(({ id }) => id);
      expect(await ids({})).toEqual([third, second, first]);
      expect(await ids({ states: ['resolved'] })).toEqual([]);
      expect(await ids({ kind: 'job.failed', minSeverity: 'warning' })).toEqual([second, first]);
      expect(await ids({ kind: 'backup.stale' })).toEqual([]);
      expect(await ids({ kinds: ['backup.stale', 'job.failed'] })).toEqual([third, second, first]);
      expect(await ids({ kinds: ['backup.stale'] })).toEqual([]);
      expect(await ids({ serverId: web })).toEqual([third, first]);
      expect(await ids({ serverIds: [db] })).toEqual([second]);
      expect(await ids({ serverIds: [] })).toEqual([]);
      const inOrder = async (order: NotificationOrder) =>
        (await notifications.list({}, PAGE, order)).items.map(({ id }) => id);
      expect(await inOrder({ by: 'since', descending: false })).toEqual([first, second, third]);
      expect(await inOrder({ by: 'severity', descending: true })).toEqual([first, second, third]);
      expect(await inOrder({ by: 'severity', descending: false })).toEqual([third, second, first]);
      const page = await notifications.list({}, { limit: 1, offset: 1 });
      expect([page.total, page.items.map(({ id }) => id)]).toEqual([3, [second]]);
    });

    it('counts those that are not over, and so do the servers', async () => {
      const { notifications, servers } = stores;
      await open(web, 'backup');
      await open(web, 'os_patch');
      await open(db, 'backup');
      expect(await notifications.countOpen(null)).toBe(3);
      expect(await notifications.countOpen([web])).toBe(2);
      expect(await notifications.countOpen([])).toBe(0);
      const listed = await servers.list({}, PAGE);
      expect(listed.items.map(({ name: of, alertsOpen }) => [of, alertsOpen])).toEqual([
        ['db', 1],
        ['web', 2],
      ]);
      expect((await servers.find(web))?.alertsOpen).toBe(2);
      expect((await servers.findByName('db'))?.alertsOpen).toBe(1);
    });

    it('makes the worst alert about a job a need of its server', async () => {
      const { servers } = stores;
      await addServer(stores, 'fine');
      await open(web, 'backup', 'warning');
      await open(db, 'backup', 'info');
      const states = async () =>
        (await servers.list({}, PAGE)).items.map(({ name: of, worstAlert }) => [of, worstAlert]);
      const needing = async (need: ServerNeed) =>
        (await servers.list({ needs: { need, staleBefore: 0 } }, PAGE)).items.map(({ name: of }) => of);
      expect(await states()).toEqual([
        ['db', null],
        ['fine', null],
        ['web', 'warning'],
      ]);
      expect([await needing('critical_alert'), await needing('alert')]).toEqual([[], ['web']]);
      await open(web, 'os_patch');
      await open(db, 'os_patch');
      expect(await servers.find(web)).toMatchObject({ worstAlert: 'critical', criticalKind: 'job.failed' });
      expect([await needing('critical_alert'), await needing('alert')]).toEqual([['db', 'web'], []]);
      expect(await servers.totals({}, 0)).toMatchObject({ criticalAlerts: 2, failing: 2, alerts: 0 });
      const order = { by: 'status', descending: true } as const;
      const worst = await servers.list({ statusAt: { staleBefore: 0 } }, PAGE, order);
      expect(worst.items.map(({ name: of }) => of)).toEqual(['db', 'web', 'fine']);
    });

    it('takes an acknowledgement once', async () => {
      const { notifications } = stores;
      const id = await open(web, 'backup');
      const record = trailOf('alert.acknowledge', 'notification');
      const known = await notifications.acknowledge(id, 'cli:me', AT + 1, record);
      const said = { state: 'acknowledged', acknowledgedBy: 'cli:me', acknowledgedAt: AT + 1 };
      expect(known).toMatchObject(said);
      expect(await notifications.acknowledge(id, 'cli:you', AT + 2, record)).toMatchObject(said);
      expect((await stores.record()).audit).toEqual([`alert.acknowledge notification:${id}`]);
      expect(await notifications.countOpen(null)).toBe(1);
      expect(await notifications.countOpen(null, 'unacknowledged')).toBe(0);
      await expectRefusal(notifications.acknowledge(99, 'x', AT, noRecord), 'notification_not_found');
    });

    it('reopens what was acknowledged, once', async () => {
      const { notifications } = stores;
      const id = await open(web, 'backup');
      await notifications.acknowledge(id, 'cli:me', AT + 1, noRecord);
      const record = trailOf('alert.reopen', 'notification');
      const reopened = { state: 'open', acknowledgedBy: null, acknowledgedAt: null };
      expect(await notifications.reopen(id, record)).toMatchObject(reopened);
      expect(await notifications.reopen(id, record)).toMatchObject(reopened);
      expect((await stores.record()).audit).toEqual([`alert.reopen notification:${id}`]);
      await expectRefusal(notifications.reopen(99, noRecord), 'notification_not_found');
    });

    it('keeps one policy a kind', async () => {
      const { notifications } = stores;
      const policy = { kind: 'backup.stale', debounceMs: MINUTE, remindMs: null, severity: 'info' } as const;
      expect(await notifications.policies()).toEqual([]);
      await notifications.setPolicy(policy, {});
      await notifications.setPolicy({ ...policy, severity: null, remindMs: 5 * MINUTE }, {});
      expect(await notifications.policies()).toEqual([{ ...policy, severity: null, remindMs: 5 * MINUTE }]);
    });

    it('mutes by kind and server, also what is open', async () => {
      const { notifications } = stores;
      await open(web, 'backup');
      await open(db, 'backup');
      const mute = { kind: null, serverId: web, until: AT + MINUTE, createdBy: 'cli:me', createdAt: AT };
      const added = await notifications.mute(mute, trailOf('alert.mute', 'mute'));
      expect(added).toEqual({ ...mute, id: added.id });
      expect(await notifications.countOpen(null)).toBe(1);
      expect((await stores.servers.find(web))?.alertsOpen).toBe(0);
      expect((await notifications.list({ serverId: web }, PAGE)).items).toMatchObject([{ muted: true }]);
      expect((await notifications.list({ serverId: web, muted: false }, PAGE)).items).toEqual([]);
      expect((await notifications.list({ serverId: web, muted: true }, PAGE)).total).toBeGreaterThan(0);
      expect(await notifications.mutes(AT)).toEqual([added]);
      expect(await notifications.mutes(AT + MINUTE)).toEqual([]);
      const lasting = { ...mute, kind: 'backup.stale', serverId: null, until: null } as const;
      const { id } = await notifications.mute({ ...lasting, createdAt: AT + MINUTE }, noRecord);
      expect((await notifications.mutes(AT)).map((each) => each.id)).toEqual([id]);
      await notifications.unmute(id, {});
      expect(await notifications.mutes(AT)).toEqual([]);
      await expectRefusal(notifications.unmute(id, {}), 'mute_not_found');
    });
  });
}
