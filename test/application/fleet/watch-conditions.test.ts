import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ListNotifications } from '../../../src/application/events/list-notifications.ts';
import { ContactLog } from '../../../src/application/fleet/contact-log.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { DAY, HOUR, MINUTE } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { tokenActor } from '../../support/application-scene.ts';
import { type Messaging, messagingOf } from '../../support/messaging.ts';
import { sceneDatabase } from '../../support/scene-database.ts';
import { AT, newServer, noRecord, type StoresSubject } from '../../support/stores-subject.ts';

const PAGE = { limit: 100, offset: 0 };
const NEVER = new AbortController().signal;
const OFF = { backup: false, os_patch: false, docker: false };

describe('Problems of the fleet', () => {
  let clock: FakeClock;
  let stores: StoresSubject;
  let service: Messaging;
  let web: number;
  beforeEach(async () => {
    clock = new FakeClock(AT);
    stores = sceneDatabase(clock);
    service = messagingOf(stores, clock);
    web = (await stores.servers.add(newServer('web', { features: OFF }), AT, noRecord)).id;
  });
  afterEach(() => service.poster.close());

  const look = async (ms = 0): Promise<readonly string[]> => {
    await clock.advance(ms);
    const before = (await stores.record()).events.length;
    await service.watch.execute(NEVER);
    return (await stores.record()).events.slice(before);
  };
  const shown = async () =>
    (await stores.notifications.list({ states: ['open', 'acknowledged'] }, PAGE)).items;

  it('is sent once it has lasted, again after a while, and when it is over', async () => {
    await stores.servers.learn(web, { rebootPending: true });
    expect(await look()).toEqual([]);
    expect(await look(HOUR - 1)).toEqual([]);
    expect(await look(1)).toEqual(['server.reboot_pending']);
    expect(await look(7 * DAY - 1)).toEqual([]);
    expect(await look(1)).toEqual(['server.reboot_pending']);
    await stores.servers.learn(web, { rebootPending: false });
    expect(await look()).toEqual(['server.recovered']);
    expect(await shown()).toEqual([]);
  });

  it('is not sent if it comes and goes within its time', async () => {
    for (let round = 0; round < 5; round += 1) {
      await stores.servers.learn(web, { rebootPending: true });
      expect(await look(50 * MINUTE)).toEqual([]);
      await stores.servers.learn(web, { rebootPending: false });
      expect(await look(MINUTE)).toEqual([]);
    }
  });

  it('is sent at the times and with the severity of the rules', async () => {
    const { manageAlerts, operator } = service;
    await manageAlerts.setPolicy(operator, 'updates.available', {
      debounceMs: 0,
      remindMs: HOUR,
      severity: 'critical',
    });
    await stores.servers.learn(web, { osUpdatesCount: 3 });
    expect(await look()).toEqual(['updates.available']);
    expect(await shown()).toMatchObject([{ severity: 'critical' }]);
    expect(await look(HOUR)).toEqual(['updates.available']);
    const [notification] = await shown();
    await manageAlerts.acknowledge(operator, notification?.id ?? 0);
    expect(await look(HOUR)).toEqual([]);
  });

  it('is sent at once if it gets worse', async () => {
    await stores.servers.learn(web, { osUpdatesCount: 3 });
    await look();
    expect(await look(HOUR)).toEqual(['updates.available']);
    await stores.servers.learn(web, { securityUpdatesCount: 1 });
    expect(await look(1)).toEqual(['updates.available']);
    expect(await shown()).toMatchObject([{ title: 'Security updates are pending on web' }]);
    await stores.servers.learn(web, { securityUpdatesCount: 0 });
    expect(await look(1)).toEqual([]);
  });

  it('is muted by kind and server until a time, and told then if it is still so', async () => {
    const { manageAlerts, operator } = service;
    await stores.servers.learn(web, { rebootPending: true });
    await manageAlerts.mute(operator, { kind: null, serverId: web, until: clock.now() + 3 * HOUR });
    await look();
    expect(await look(2 * HOUR)).toEqual([]);
    expect(await stores.notifications.countOpen(null)).toBe(0);
    expect(await look(HOUR)).toEqual(['server.reboot_pending']);
    expect(await stores.notifications.countOpen(null)).toBe(1);
  });

  it('stays muted if it is muted while the service compares', async () => {
    const { manageAlerts, operator } = service;
    await stores.servers.learn(web, { rebootPending: true });
    await look();
    expect(await look(HOUR)).toEqual(['server.reboot_pending']);
    const first = stores.watch.endOfRemovedServers.bind(stores.watch);
    vi.spyOn(stores.watch, 'endOfRemovedServers').mockImplementationOnce(async (...args) => {
      await manageAlerts.mute(operator, { kind: 'server.reboot_pending', serverId: null, until: null });
      return first(...args);
    });
    expect(await look()).toEqual([]);
    expect(await stores.notifications.countOpen(null)).toBe(0);
  });

  it('starts with the first try that failed, and ends with the next that does not', async () => {
    const contacts = new ContactLog({ servers: stores.servers, clock });
    const current = async () => {
      const server = await stores.servers.find(web);
      if (!server) throw new Error('it is there');
      return server;
    };
    await contacts.failed(await current(), new DomainError('host_command_failed', 'that says nothing'));
    await contacts.failed(await current(), new DomainError('host_unreachable', 'no answer'));
    expect((await current()).facts).toMatchObject({
      contactFailedSince: AT,
      contactError: 'host_unreachable',
    });
    expect(await look(15 * MINUTE)).toEqual([]);
    await contacts.failed(await current(), new DomainError('host_timeout', 'no answer'));
    expect((await current()).facts).toMatchObject({ contactFailedSince: AT, contactError: 'host_timeout' });
    expect(await look(5 * MINUTE)).toEqual(['server.unreachable']);
    await contacts.failed(await current(), new DomainError('host_key_mismatch', 'another key'));
    expect(await look()).toEqual(['server.recovered', 'host_key.mismatch'].toSorted());
    await contacts.succeeded(await current());
    expect((await current()).facts).toMatchObject({ contactFailedSince: null, lastSeenAt: clock.now() });
    expect(await look()).toEqual(['server.recovered']);
    expect((await current()).facts.contactFailedSince).toBeNull();
  });

  it('is seen by tokens as far as their servers go', async () => {
    const list = new ListNotifications(stores);
    const db = (await stores.servers.add(newServer('db'), AT, noRecord)).id;
    for (const id of [web, db]) await stores.servers.learn(id, { rebootPending: true });
    await stores.tokens.add(
      {
        name: 'old',
        scopes: ['read'],
        allowedCidrs: [],
        allowedServerIds: null,
        requireApproval: false,
        expiresAt: AT + DAY,
        prefix: 'drv_1',
        createdBy: 'me',
        createdAt: AT,
      },
      'a'.repeat(64),
      noRecord,
    );
    await look();
    await look(HOUR);
    const kinds = async (serverIds: ReadonlySet<number> | null) =>
      (await list.execute(tokenActor({ serverIds }), {}, PAGE)).items.map(({ kind, serverId }) => [
        kind,
        serverId,
      ]);
    expect(await kinds(null)).toHaveLength(3);
    expect(await kinds(new Set([web]))).toEqual([['server.reboot_pending', web]]);
    expect(await kinds(new Set())).toEqual([]);
    await expect(
      list.execute(tokenActor({ serverIds: new Set([web]) }), { serverId: db }, PAGE),
    ).rejects.toMatchObject({ code: 'server_not_found' });
    await expect(list.execute(tokenActor({ capabilities: ['jobs'] }), {}, PAGE)).rejects.toMatchObject({
      code: 'read_scope_missing',
    });
  });

  it('is opened for every server, though one run takes several pages', async () => {
    for (let index = 0; index < 450; index += 1) {
      const { id } = await stores.servers.add(newServer(`h-${index}`, { features: OFF }), AT, noRecord);
      await stores.servers.learn(id, { rebootPending: true });
    }
    await look();
    expect(await look(HOUR)).toHaveLength(450);
    expect(await stores.notifications.countOpen(null)).toBe(450);
  });
});
