import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../../src/domain/access/role.ts';
import { HOUR, SECOND } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { sqliteDatabase, type TestDatabase } from '../../../support/databases.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { type Messaging, messagingOf } from '../../../support/messaging.ts';
import { Browser, PushService } from '../../../support/push-service.ts';
import { sqlStores } from '../../../support/sql-stores.ts';
import { noRecord, type StoresSubject } from '../../../support/stores-subject.ts';

describe('Messages to browsers', () => {
  let database: TestDatabase;
  let stores: StoresSubject;
  let clock: FakeClock;
  let service: Messaging;
  let pushes: PushService;
  let base: string;
  const browser = new Browser();

  beforeEach(async () => {
    clock = new FakeClock(Date.now());
    database = await sqliteDatabase();
    stores = sqlStores(database.database);
    service = messagingOf(stores, clock);
    pushes = new PushService();
    base = await pushes.listen();
  });

  afterEach(async () => {
    service.poster.close();
    await pushes.close();
    await database.drop();
  });

  const person = async (name: string, role: Role): Promise<number> => {
    const created = { createdBy: 'cli:root', createdAt: clock.now() };
    return (await stores.users.add({ name, role, ...created }, noRecord)).id;
  };

  /** By default of a viewer of the same name. */
  const subscribe = async (path = 'a', filter = {}, owner?: number) =>
    service.managePush.subscribe(
      service.operator,
      browser.keys(`${base}${path}`),
      filter,
      owner ?? (await person(path, 'viewer')),
    );

  it('are encrypted for the browser alone, and signed with the key of the service', async () => {
    await subscribe();
    await service.tell({ severity: 'critical' });
    await service.look();
    const [pushed] = pushes.pushed;
    expect(pushed).toMatchObject({ path: '/push/a', ttl: '14400', encoding: 'aes128gcm' });
    expect(pushed?.vapid).toMatchObject({
      aud: base.slice(0, -'/push/'.length),
      k: await service.managePush.publicKey(),
    });
    const [event] = (await stores.deliveries.list({ channel: 'push' }, { limit: 9, offset: 0 })).items;
    expect(JSON.parse(browser.decrypt(pushed?.body ?? Buffer.alloc(0)))).toEqual({
      id: event?.event.uid,
      type: 'server.recovered',
      severity: 'critical',
      title: 'event 1',
      message: 'It happened.',
      link: expect.stringMatching(/^https:\/\/drover\.example\.org\/servers\/\d+$/),
    });
    expect(() => new Browser().decrypt(pushed?.body ?? Buffer.alloc(0))).toThrow();
  });

  it('go to each person as they want it', async () => {
    await subscribe('all');
    await subscribe('grave', { minSeverity: 'critical' });
    await subscribe('failed', { events: ['job.failed'] });
    await service.tell();
    await service.tell({ type: 'job.failed', severity: 'critical' });
    await service.look();
    const paths = pushes.pushed.map(({ path }) => path).toSorted();
    expect(paths).toEqual(['/push/all', '/push/all', '/push/failed', '/push/grave']);
  });

  it('ask only those to approve who may, and tell them of all else', async () => {
    const subscribed = async (name: string, role: Role): Promise<number> => {
      const id = await person(name, role);
      await subscribe(name, {}, id);
      return id;
    };
    for (const role of ROLES) await subscribed(role, role);
    const left = await subscribed('left', 'operator');
    await stores.users.change(left, { disabledAt: clock.now() }, noRecord);
    const told = (): readonly string[] => pushes.pushed.map(({ path }) => path).toSorted();
    await service.tell({ type: 'approval.requested', severity: 'warning' });
    await service.look();
    expect(told()).toEqual(['/push/administrator', '/push/operator']);
    await service.tell();
    await service.look();
    expect(told()).toContain('/push/viewer');
  });

  it('about servers go to users with a role by tag there, and requests only to those who may approve them', async () => {
    const byTag = async (name: string, roles: Readonly<Record<string, Role>>, filter = {}) => {
      const created = { createdBy: 'cli:root', createdAt: clock.now() };
      const tagRoles = Object.entries(roles).map(([tag, role]) => ({ tag, role }));
      const { id } = await stores.users.add({ name, role: null, tagRoles, ...created }, noRecord);
      await subscribe(name, filter, id);
      return id;
    };
    const web = await byTag('web', { web: 'viewer' });
    await byTag('both', { web: 'operator', db: 'viewer' });
    await byTag('filtered', { web: 'operator', db: 'operator' }, { tags: ['db'] });
    await byTag('none', {});
    /** Who gets a message about a server with these tags; `null`: about none. */
    const told = async (type: 'server.recovered' | 'approval.requested', tags: readonly string[] | null) => {
      pushes.pushed.length = 0;
      await service.tell({ type, tags: tags ?? [], ...(tags === null ? { serverId: null } : {}) });
      await service.look();
      return pushes.pushed.map(({ path }) => path.slice('/push/'.length)).toSorted();
    };
    expect(await told('server.recovered', ['web'])).toEqual(['both', 'web']);
    expect(await told('server.recovered', ['db'])).toEqual(['both', 'filtered']);
    expect(await told('server.recovered', ['mail'])).toEqual([]);
    expect(await told('server.recovered', null)).toEqual([]);
    expect(await told('approval.requested', ['web'])).toEqual(['both']);
    expect(await told('approval.requested', ['db'])).toEqual(['filtered']);
    expect(await told('approval.requested', ['db', 'web'])).toEqual(['both', 'filtered']);
    expect(await told('approval.requested', null)).toEqual([]);
    await stores.users.change(web, { tagRoles: () => [] }, noRecord);
    expect(await told('server.recovered', ['web'])).toEqual(['both']);
  });

  it.each([404, 410])('end where a subscription is gone (%i)', async (status) => {
    pushes.answers.push(status);
    await subscribe();
    await service.tell();
    await service.tell();
    await service.look();
    expect(pushes.pushed).toHaveLength(1);
    expect(await stores.subscriptions.list()).toEqual([]);
  });

  it('are tried again, and not for long', async () => {
    await subscribe();
    pushes.answers.push(500, 429);
    await service.tell();
    await service.look();
    await clock.advance(5 * SECOND);
    await service.look();
    await clock.advance(HOUR);
    await service.look();
    expect(pushes.pushed).toHaveLength(3);
  });

  it('come from the same service after a restart, whose private key is encrypted in the database', async () => {
    const before = await service.managePush.publicKey();
    const again = messagingOf(stores, clock);
    expect(await again.managePush.publicKey()).toBe(before);
    const kept = JSON.parse((await stores.settings.get('vapid')) ?? '');
    const place = { table: 'settings', column: 'value', row: 'vapid' };
    expect(Object.keys(kept)).toEqual(['publicKey', 'sealed']);
    expect(service.box.open(kept.sealed, place)).toMatch(/^[\w-]{43}$/);
    again.poster.close();
  });

  it("end with the subscription, which is its owner's", async () => {
    const { managePush, operator } = service;
    await subscribe('a', {}, 7);
    await expectRefusal(managePush.unsubscribe(operator, `${base}a`, 8), 'subscription_not_found');
    expect(await managePush.list(7)).toHaveLength(1);
    await managePush.unsubscribe(operator, `${base}a`, 7);
    await service.tell();
    await service.look();
    expect(pushes.pushed).toEqual([]);
  });

  it('are not promised to what is no browser', async () => {
    const { managePush, operator } = service;
    const keys = browser.keys(`${base}a`);
    for (const wrong of [{ p256dh: 'AAAA' }, { auth: '' }, { endpoint: 'http://169.254.169.254/' }])
      await expectRefusal(managePush.subscribe(operator, { ...keys, ...wrong }, {}, 1), 'invalid_input');
    const strict = messagingOf(stores, clock, { allowPrivate: false });
    for (const endpoint of ['http://push.example.org/x', 'https://10.0.0.1/x', `${base}a`])
      await expectRefusal(
        strict.managePush.subscribe(operator, { ...keys, endpoint }, {}, 1),
        'invalid_input',
      );
    strict.poster.close();
  });
});
