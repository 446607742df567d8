import { beforeEach, describe, expect, it } from 'vitest';
import type { Thresholds } from '../../src/application/ports/fleet/condition-watch.ts';
import type { NewApiToken } from '../../src/domain/access/api-token.ts';
import { HOUR, MINUTE } from '../../src/domain/base/instant.ts';
import {
  type Condition,
  type Notification,
  openingEvent,
  recoveryEvent,
  reminderEvent,
  WATCHED_KINDS,
  type WatchedKind,
} from '../../src/domain/events/notification.ts';
import { wordsOf } from '../../src/domain/events/notification-words.ts';
import { requestJob } from '../../src/domain/jobs/job.ts';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';
import { newWebhook, sealsOf } from './webhook-store.contract.ts';

const NOW: Thresholds = {
  now: AT,
  backupsStaleBefore: AT - 36 * HOUR,
  tokensExpireBefore: AT + 7 * 24 * HOUR,
  disksFullBefore: AT + 14 * 24 * HOUR,
  supportEndsBefore: AT + 90 * 24 * HOUR,
};
const later = (ms: number): Thresholds => ({
  now: AT + ms,
  backupsStaleBefore: NOW.backupsStaleBefore + ms,
  tokensExpireBefore: NOW.tokensExpireBefore + ms,
  disksFullBefore: NOW.disksFullBefore + ms,
  supportEndsBefore: NOW.supportEndsBefore + ms,
});
const never = (): boolean => false;
const terms = (at = AT) => ({
  beganUpTo: at,
  at,
  isMuted: never as (notification: Notification) => boolean,
  event: (each: Notification) => openingEvent(each, at),
});
const recovery = (each: Notification) => recoveryEvent(each, AT);

/** What every `ConditionWatch` does. */
export function conditionWatchContract(name: string, makeStores: MakeStores): void {
  describe(`ConditionWatch: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = (
        await stores.servers.add(newServer('web', { features: OFF }), NOW.backupsStaleBefore - 1, noRecord)
      ).id;
    });

    const shown = async () => (await stores.notifications.list({}, { limit: 100, offset: 0 })).items;
    const begin = (kind: WatchedKind, at = NOW) => stores.watch.begin(kind, at, wordsOf, 100);
    const opened = async (kind: WatchedKind): Promise<Notification | undefined> => {
      await begin(kind);
      await stores.watch.open(kind, terms(), 100);
      return (await shown())[0];
    };
    const events = async (): Promise<readonly string[]> => (await stores.record()).events;

    it.each<[WatchedKind, (id: number) => Promise<unknown>, Partial<Condition>]>([
      [
        'server.unreachable',
        (id) => stores.servers.learn(id, { contactError: 'host_timeout', contactFailedSince: AT - 5 }),
        { variant: 'host_timeout' },
      ],
      [
        'host_key.mismatch',
        (id) => stores.servers.learn(id, { contactError: 'host_key_mismatch', contactFailedSince: AT }),
        { variant: 'mismatch' },
      ],
      [
        'disk.filling',
        (id) => stores.servers.learn(id, { diskFullAt: AT + 5, diskFullMount: '/srv' }),
        { variant: '/srv' },
      ],
      [
        'disk.filling',
        (id) => stores.servers.learn(id, { diskUsedBytes: 90, diskTotalBytes: 100 }),
        { variant: 'nearly full' },
      ],
      ['os.end_of_life', (id) => stores.servers.learn(id, { supportEndsAt: AT - 1 }), { variant: 'ended' }],
      [
        'os.end_of_life',
        (id) => stores.servers.learn(id, { supportEndsAt: NOW.supportEndsBefore - 1 }),
        { variant: 'ending' },
      ],
      ['server.reboot_pending', (id) => stores.servers.learn(id, { rebootPending: true }), {}],
      [
        'updates.available',
        (id) => stores.servers.learn(id, { containerUpdatesCount: 1, securityUpdatesCount: 0 }),
        { variant: 'ordinary' },
      ],
      [
        'updates.available',
        (id) => stores.servers.learn(id, { securityUpdatesCount: 2, osUpdatesCount: 9 }),
        { variant: 'security' },
      ],
      [
        'backup.stale',
        (id) => stores.servers.setFeatures(id, { backup: true }, AT, noRecord),
        { variant: 'never' },
      ],
      [
        'backup.stale',
        async (id) => {
          await stores.servers.learn(id, { lastBackupAt: NOW.backupsStaleBefore - 1 });
          return stores.servers.setFeatures(id, { backup: true }, AT, noRecord);
        },
        { variant: 'late' },
      ],
    ])('finds %s of a server, and nothing else', async (kind, bring, found) => {
      const healthy = await addServer(stores, 'healthy');
      await stores.servers.learn(healthy, {
        lastBackupAt: AT,
        osUpdatesCount: 0,
        rebootPending: false,
        supportEndsAt: NOW.supportEndsBefore,
        diskUsedBytes: 89,
        diskTotalBytes: 100,
      });
      for (const each of WATCHED_KINDS) expect(await begin(each)).toBe(0);
      await bring(web);
      for (const each of WATCHED_KINDS) expect(await begin(each)).toBe(each === kind ? 1 : 0);
      await stores.watch.open(kind, terms(), 100);
      expect(await shown()).toMatchObject([
        { kind, serverId: web, serverName: 'web', state: 'open', openedAt: AT, toldAt: AT, ...found },
      ]);
      expect(await events()).toEqual([kind]);
    });

    it('finds tokens that expire soon, webhooks whose receiver is gone and jobs that wait for a person', async () => {
      const { tokens, webhooks, jobs } = stores;
      const token: Omit<NewApiToken, 'expiresAt'> = {
        name: 'agent',
        scopes: ['read'],
        allowedCidrs: [],
        allowedServerIds: null,
        requireApproval: false,
        prefix: 'drv_1',
        createdBy: 'me',
        createdAt: AT,
      };
      await tokens.add({ ...token, expiresAt: AT + HOUR }, 'a'.repeat(64), noRecord);
      await tokens.add({ ...token, expiresAt: NOW.tokensExpireBefore }, 'b'.repeat(64), noRecord);
      await tokens.add({ ...token, expiresAt: AT }, 'c'.repeat(64), noRecord);
      await tokens.add({ ...token, expiresAt: null }, 'd'.repeat(64), noRecord);
      const revoked = await tokens.add({ ...token, expiresAt: AT + HOUR }, 'e'.repeat(64), noRecord);
      await tokens.revoke(revoked.id, AT, noRecord);
      const { id } = await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      await webhooks.change(id, { enabled: false, disabledBecause: 'gone', disabledAt: AT }, AT, noRecord);
      const off = await webhooks.add(newWebhook('off'), sealsOf, noRecord);
      await webhooks.change(off.id, { enabled: false, disabledBecause: 'operator' }, AT, noRecord);
      const waiting = requestJob({
        server: { id: web, name: 'web' },
        type: 'os_patch',
        params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
        requestedBy: 'token:agent',
        scheduled: false,
        approval: {
          requester: { kind: 'token', id: 5, name: 'agent', address: null, label: 'token:agent' },
          expiresAt: AT + HOUR,
        },
        at: AT,
      });
      const job = await jobs.enqueue(waiting, noRecord);
      expect(await opened('token.expiring')).toMatchObject({ kind: 'token.expiring', serverId: null });
      expect(await opened('webhook.disabled')).toMatchObject({ title: 'Webhook chat was disabled' });
      expect(await opened('approval.requested')).toMatchObject({ serverId: web, jobId: job.id });
      expect(await shown()).toHaveLength(3);
    });

    it('makes one of each, however often it looks, and tells it once it has lasted', async () => {
      await stores.servers.learn(web, { rebootPending: true });
      expect(await begin('server.reboot_pending')).toBe(1);
      expect(await begin('server.reboot_pending')).toBe(0);
      expect(await stores.watch.open('server.reboot_pending', { ...terms(), beganUpTo: AT - 1 }, 9)).toBe(0);
      expect(await shown()).toEqual([]);
      expect(await stores.notifications.countOpen(null)).toBe(0);
      expect(await stores.watch.open('server.reboot_pending', terms(), 9)).toBe(1);
      expect(await stores.watch.open('server.reboot_pending', terms(), 9)).toBe(0);
      expect(await stores.notifications.countOpen(null)).toBe(1);
      expect(await events()).toEqual(['server.reboot_pending']);
    });

    it('measures from when a host fell silent', async () => {
      await stores.servers.learn(web, { contactError: 'host_timeout', contactFailedSince: AT - HOUR });
      await begin('server.unreachable');
      const after = { ...terms(), beganUpTo: AT - HOUR };
      expect(await stores.watch.open('server.unreachable', after, 9)).toBe(1);
      expect(await shown()).toMatchObject([{ beganAt: AT - HOUR, openedAt: AT }]);
    });

    it('resolves what is over, and reopens what recurs', async () => {
      const { servers, watch } = stores;
      await servers.learn(web, { rebootPending: true });
      const first = await opened('server.reboot_pending');
      expect(await watch.end('server.reboot_pending', NOW, recovery, 9)).toBe(0);
      await servers.learn(web, { rebootPending: false });
      expect(await watch.end('server.reboot_pending', later(5), recovery, 9)).toBe(1);
      expect(await watch.end('server.reboot_pending', later(5), recovery, 9)).toBe(0);
      expect(await shown()).toMatchObject([{ id: first?.id, state: 'resolved', resolvedAt: AT + 5 }]);
      await servers.learn(web, { rebootPending: true });
      const again = await opened('server.reboot_pending');
      expect(again?.id).not.toBe(first?.id);
      expect(await events()).toEqual(['server.reboot_pending', 'server.recovered', 'server.reboot_pending']);
    });

    it('silently deletes what did not last', async () => {
      await stores.servers.learn(web, { rebootPending: true });
      await begin('server.reboot_pending');
      await stores.servers.learn(web, { rebootPending: null });
      expect(await stores.watch.end('server.reboot_pending', NOW, recovery, 9)).toBe(1);
      expect(await shown()).toEqual([]);
      expect(await events()).toEqual([]);
    });

    it('gives a condition that changed its form new words, and tells where it is asked to', async () => {
      const { servers, watch } = stores;
      await servers.learn(web, { osUpdatesCount: 1 });
      const before = await opened('updates.available');
      await servers.learn(web, { securityUpdatesCount: 1 });
      const event = (was: Notification, is: Notification) =>
        was.severity === 'info' && is.severity === 'warning' ? openingEvent(is, AT + 1) : null;
      const change = { words: wordsOf, event };
      expect(await watch.revise('updates.available', later(1), change, 9)).toBe(1);
      expect(await watch.revise('updates.available', later(1), change, 9)).toBe(0);
      const words = { severity: 'warning', title: 'Security updates are pending on web', toldAt: AT + 1 };
      expect(await shown()).toMatchObject([{ id: before?.id, variant: 'security', ...words }]);
      await servers.learn(web, { securityUpdatesCount: 0 });
      await watch.revise('updates.available', later(2), change, 9);
      expect(await shown()).toMatchObject([{ variant: 'ordinary', severity: 'info', toldAt: AT + 1 }]);
      expect(await events()).toEqual(['updates.available', 'updates.available']);
    });

    it('reminds of open ones alone', async () => {
      const { servers, watch, notifications } = stores;
      await servers.learn(web, { rebootPending: true });
      const first = await opened('server.reboot_pending');
      const remind = (at: number) => ({
        notifiedUpTo: at - HOUR,
        at,
        event: (each: Notification) => reminderEvent(each, at),
      });
      expect(await watch.remind('server.reboot_pending', remind(AT + HOUR - 1), 9)).toBe(0);
      expect(await watch.remind('server.reboot_pending', remind(AT + HOUR), 9)).toBe(1);
      expect(await watch.remind('server.reboot_pending', remind(AT + HOUR + MINUTE), 9)).toBe(0);
      await notifications.acknowledge(first?.id ?? 0, 'me', AT, noRecord);
      expect(await watch.remind('server.reboot_pending', remind(AT + 9 * HOUR), 9)).toBe(0);
      expect(await events()).toEqual(['server.reboot_pending', 'server.reboot_pending']);
    });

    it('keeps muted ones to itself until nothing mutes them', async () => {
      const { servers, watch, notifications } = stores;
      await servers.learn(web, { rebootPending: true });
      await begin('server.reboot_pending');
      await watch.open('server.reboot_pending', { ...terms(), isMuted: () => true }, 9);
      expect(await shown()).toMatchObject([{ state: 'open', muted: true }]);
      expect(await notifications.countOpen(null)).toBe(0);
      const [{ id } = { id: 0 }] = await shown();
      expect(await watch.unmute(0, { ...terms(), isMuted: () => true }, 9)).toBe(id);
      expect(await events()).toEqual([]);
      expect(await watch.unmute(0, terms(AT + 1), 9)).toBe(id);
      expect(await watch.unmute(id, terms(AT + 1), 9)).toBeNull();
      expect(await shown()).toMatchObject([{ muted: false, toldAt: AT + 1 }]);
      expect(await events()).toEqual(['server.reboot_pending']);
    });

    it('goes on where a page ends', async () => {
      for (let index = 0; index < 5; index += 1) {
        const id = await addServer(stores, `host-${index}`);
        await stores.servers.learn(id, { rebootPending: true, lastBackupAt: AT });
      }
      const pages = [];
      for (let page = 0; page < 4; page += 1)
        pages.push(await stores.watch.begin('server.reboot_pending', NOW, wordsOf, 2));
      expect(pages).toEqual([2, 2, 1, 0]);
      expect(await stores.watch.open('server.reboot_pending', terms(), 3)).toBe(3);
      expect(await stores.watch.open('server.reboot_pending', terms(), 3)).toBe(2);
    });

    it('silently ends those of removed servers, and deletes what is long over', async () => {
      const { servers, watch } = stores;
      await servers.learn(web, { rebootPending: true });
      await opened('server.reboot_pending');
      await servers.remove(web, AT, {});
      expect(await watch.endOfRemovedServers(AT + 1, 9)).toBe(1);
      expect(await watch.endOfRemovedServers(AT + 1, 9)).toBe(0);
      expect(await shown()).toMatchObject([{ state: 'resolved' }]);
      expect(await events()).toEqual(['server.reboot_pending']);
      expect(await watch.prune(AT + 1, 9)).toBe(0);
      expect(await watch.prune(AT + 2, 9)).toBe(1);
      expect(await shown()).toEqual([]);
    });
  });
}

const OFF = { backup: false, os_patch: false, docker: false };
