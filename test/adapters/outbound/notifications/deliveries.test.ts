import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { capabilitiesOf } from '../../../../src/domain/access/role.ts';
import { HOUR, MINUTE, SECOND } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { sqliteDatabase, type TestDatabase } from '../../../support/databases.ts';
import { type Messaging, messagingOf } from '../../../support/messaging.ts';
import { answers, hangs, isSigned, Receiver, resets } from '../../../support/receiver.ts';
import { sqlStores } from '../../../support/sql-stores.ts';
import type { StoresSubject } from '../../../support/stores-subject.ts';

const PAGE = { limit: 100, offset: 0 };
const NEVER = new AbortController().signal;

describe('Events on their way to receivers over HTTP', () => {
  let database: TestDatabase;
  let stores: StoresSubject;
  let clock: FakeClock;
  let service: Messaging;
  let receiver: Receiver;
  let port: number;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    clock = new FakeClock(Date.UTC(2026, 10, 20, 5));
    vi.setSystemTime(clock.now());
    database = await sqliteDatabase();
    stores = sqlStores(database.database);
    service = messagingOf(stores, clock, { limitMs: 400 });
    receiver = new Receiver('');
    port = await receiver.listen();
    receiver.secret = await add('chat', port);
  });

  afterEach(async () => {
    vi.useRealTimers();
    service.poster.close();
    await receiver.close();
    await database.drop();
  });

  const add = async (name: string, at: number): Promise<string> =>
    (
      await service.manageWebhooks.add(service.operator, {
        name,
        url: `http://127.0.0.1:${at}/in?key=s3cret`,
      })
    ).secret;
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    vi.setSystemTime(clock.now());
    await service.look();
  };
  const logOf = async (webhook = 'chat') =>
    (await service.manageDeliveries.list(service.operator, { ...PAGE, webhook })).items.toReversed();

  it('arrive signed, once, in the order in which they were written, over one connection', async () => {
    for (let index = 0; index < 5; index += 1) await service.tell();
    await service.look();
    await service.look();
    const titles = receiver.received.map(({ body }) => JSON.parse(body).data.title);
    expect(titles).toEqual(['event 1', 'event 2', 'event 3', 'event 4', 'event 5']);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
    expect(new Set(receiver.received.map(({ connection }) => connection)).size).toBe(1);
    expect(await logOf()).toMatchObject(
      Array.from({ length: 5 }, () => ({ status: 'delivered', attempts: 1, statusCode: 204, error: null })),
    );
  });

  it('are sent once if a user asks for a test while the loop runs', async () => {
    const patient = messagingOf(stores, clock, { limitMs: 60_000 });
    let answer = (): void => {};
    receiver.behave.push((_, response) => {
      answer = () => void response.writeHead(204).end();
    });
    const ping = patient.manageDeliveries.ping(patient.operator, 'chat', NEVER);
    await vi.waitUntil(() => receiver.received.length > 0, { timeout: 30_000 });
    await patient.deliver.execute(NEVER);
    await patient.deliver.execute(NEVER);
    answer();
    expect((await ping).status).toBe('delivered');
    await patient.deliver.settled();
    patient.poster.close();
    expect(receiver.received).toHaveLength(1);
  });

  it('say what happened, with the server in the shape of the REST interface', async () => {
    const id = await service.tell({ severity: 'warning' });
    await service.look();
    const body = JSON.parse(receiver.received[0]?.body ?? '');
    expect(body).toMatchObject({
      type: 'server.recovered',
      timestamp: '2026-11-20T05:00:00.000Z',
      data: {
        severity: 'warning',
        title: 'event 1',
        message: 'It happened.',
        link: `https://drover.example.org/servers/${id}`,
        server: { id, hostname: 'web.example.org', alerts_open: 0 },
      },
    });
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([
    ['fails', answers(500, {}, 'a stack trace'), 500, 'It answered 500.'],
    ['redirects', answers(302, { location: '/elsewhere' }), 302, 'It answered 302, a redirect'],
    ['resets', resets, null, 'It closed the connection.'],
    ['hangs', hangs, null, 'It did not answer in time.'],
  ])('come again, under the same name, where the receiver %s', async (_, behaviour, status, error) => {
    receiver.behave.push(behaviour);
    await service.tell();
    await service.look();
    expect(await logOf()).toMatchObject([{ status: 'pending', attempts: 1, statusCode: status }]);
    expect((await logOf())[0]?.error).toContain(error);
    await pass(5 * SECOND - 1);
    expect(receiver.received).toHaveLength(1);
    await pass(1);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.ids).size).toBe(1);
    expect(receiver.received.every(({ verified }) => verified)).toBe(true);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await logOf()).toMatchObject([{ status: 'delivered', attempts: 2, error: null }]);
  });

  it("contain nothing of a receiver's answer, and read no more of it than they must", async () => {
    receiver.behave.push((_, response) => {
      response.writeHead(500, { 'x-secret': 'hunter2' });
      const more = (): void => void (response.destroyed || response.write('hunter2'.repeat(10_000), more));
      more();
    });
    await service.tell();
    await service.look();
    const [delivery] = await logOf();
    expect(delivery).toMatchObject({ statusCode: 500, error: 'It answered 500.' });
    expect(JSON.stringify([delivery, service.log.lines])).not.toContain('hunter2');
  });

  it('arrive, each at least once and in order of their tries, after two hours without a receiver', async () => {
    await receiver.close();
    for (let index = 0; index < 10; index += 1) {
      await service.tell();
      await service.look();
      for (let minute = 0; minute < 12; minute += 1) await pass(MINUTE);
    }
    const waiting = await logOf();
    expect(waiting).toHaveLength(10);
    for (const { status, error } of waiting)
      expect([status, error]).toEqual(['pending', 'It refuses connections.']);
    const back = new Receiver(receiver.secret);
    await back.listen(port);
    for (let minute = 0; minute < 4 * 60; minute += 1) await pass(MINUTE);
    const uids = waiting.map(({ event }) => event.uid);
    expect(back.ids.toSorted()).toEqual(uids.toSorted());
    expect(back.received.every(({ verified }) => verified)).toBe(true);
    expect((await logOf()).map(({ status }) => status)).toEqual(Array(10).fill('delivered'));
    await back.close();
  });

  it('are given up after the last try, and can be sent again', async () => {
    receiver.always = answers(503);
    await service.tell();
    await service.look();
    for (const pause of [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]) await pass(pause * HOUR);
    const [dead] = await logOf();
    expect(dead).toMatchObject({ status: 'dead', attempts: 10, dueAt: null });
    expect(receiver.received).toHaveLength(10);
    await pass(30 * HOUR);
    expect(receiver.received).toHaveLength(10);
    receiver.always = null;
    const again = await service.manageDeliveries.resend(service.operator, dead?.id ?? 0, NEVER);
    expect(again).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(new Set(receiver.ids)).toEqual(new Set([dead?.event.uid]));
  });

  it('leave a receiver alone for as long as it asks, within a day', async () => {
    receiver.behave.push(
      answers(429, { 'retry-after': '3600' }),
      answers(429, { 'retry-after': '99999999' }),
    );
    await service.tell();
    await service.look();
    await pass(HOUR - 1);
    expect(receiver.received).toHaveLength(1);
    await pass(1);
    expect(receiver.received).toHaveLength(2);
    await pass(24 * HOUR);
    expect(receiver.received).toHaveLength(3);
    expect(await logOf()).toMatchObject([{ status: 'delivered', attempts: 3 }]);
  });

  it('end if a receiver is gone: it is switched off, and users are notified', async () => {
    receiver.behave.push(answers(410));
    await service.tell();
    await service.tell();
    await service.look();
    expect(receiver.received).toHaveLength(1);
    expect((await logOf()).map(({ status }) => status)).toEqual(['dead', 'cancelled']);
    expect(await stores.webhooks.findByName('chat')).toMatchObject({
      enabled: false,
      disabledBecause: 'gone',
    });
    await service.tell();
    await service.watch.execute(NEVER);
    await service.look();
    expect(receiver.received).toHaveLength(1);
    const open = await stores.notifications.list({ kind: 'webhook.disabled' }, PAGE);
    expect(open.items).toMatchObject([{ state: 'open', title: 'Webhook chat was disabled' }]);
    await service.manageWebhooks.setEnabled(service.operator, 'chat', true);
    await service.watch.execute(NEVER);
    expect((await stores.notifications.list({}, PAGE)).items).toMatchObject([{ state: 'resolved' }]);
  });

  it('are not held up by a receiver that hangs', async () => {
    const slow = new Receiver('');
    slow.always = hangs;
    slow.secret = await add('a-slow-one', await slow.listen());
    for (let index = 0; index < 3; index += 1) await service.tell();
    await service.handOut.execute(NEVER);
    await service.deliver.execute(NEVER);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3));
    expect(slow.received.length).toBeLessThan(3);
    await service.deliver.settled();
    await slow.close();
  });

  it('are signed by both secrets while one takes the place of the other', async () => {
    const former = receiver.secret;
    const { secret } = await service.manageWebhooks.rotate(service.operator, 'chat', HOUR);
    await service.tell();
    await service.look();
    const [during] = receiver.received;
    const signedBy = (by: string, which = during): boolean =>
      isSigned(by, which?.body ?? '', (which?.headers ?? {}) as Record<string, string>);
    expect([signedBy(former), signedBy(secret)]).toEqual([true, true]);
    await clock.advance(HOUR);
    vi.setSystemTime(clock.now());
    await service.tell();
    await service.look();
    const [, after] = receiver.received;
    expect([signedBy(former, after), signedBy(secret, after)]).toEqual([false, true]);
  });

  it('go where they are wanted alone', async () => {
    const { manageWebhooks, operator } = service;
    await manageWebhooks.edit(operator, 'chat', { events: ['job.failed'], minSeverity: 'warning' });
    await service.tell();
    await service.tell({ type: 'job.failed', severity: 'info' });
    await service.tell({ type: 'job.failed', severity: 'critical' });
    await service.tell({ type: 'webhook.disabled', severity: 'critical' });
    await service.look();
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.title)).toEqual(['event 3']);
  });

  it('do not go out of what is muted', async () => {
    await service.manageAlerts.mute(service.operator, {
      kind: null,
      serverId: await service.tell(),
      until: null,
    });
    await service.look();
    expect(receiver.received).toEqual([]);
    await service.tell();
    await service.look();
    expect(receiver.received).toHaveLength(1);
  });

  it('are shared by two processes without being sent twice', async () => {
    const other = messagingOf(stores, clock, { owner: 'other' });
    for (let index = 0; index < 20; index += 1) await service.tell();
    await Promise.all([service.look(), other.look(), service.look(), other.look()]);
    await service.look();
    expect(receiver.received).toHaveLength(20);
    expect(new Set(receiver.ids).size).toBe(20);
    other.poster.close();
  });

  it('are tried at once by a ping, which returns the answer', async () => {
    const { manageDeliveries, operator } = service;
    expect(await manageDeliveries.ping(operator, 'chat', NEVER)).toMatchObject({ statusCode: 204 });
    expect(JSON.parse(receiver.received[0]?.body ?? '').type).toBe('ping');
    receiver.behave.push(answers(404));
    expect(await manageDeliveries.ping(operator, 'chat', NEVER)).toMatchObject({
      status: 'pending',
      error: 'It answered 404.',
    });
  });

  it('are shown to administrators alone, and so is who gets them', async () => {
    await service.tell();
    await service.look();
    const [delivery] = await logOf();
    const { manageDeliveries, manageWebhooks } = service;
    const operator = new Actor({
      kind: 'user',
      id: 1,
      name: 'ann',
      address: null,
      capabilities: capabilitiesOf('operator'),
      features: null,
      serverIds: null,
      requireApproval: false,
      role: 'operator',
    });
    const asked = [
      () => manageWebhooks.list(operator),
      () => manageWebhooks.find(operator, 'chat'),
      () => manageWebhooks.setEnabled(operator, 'chat', false),
      () => manageDeliveries.list(operator, PAGE),
      () => manageDeliveries.list(operator, { ...PAGE, webhook: 'chat' }),
      () => manageDeliveries.get(operator, delivery?.id ?? 0),
      () => manageDeliveries.ping(operator, 'chat', NEVER),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'role_missing' });
    expect((await manageDeliveries.get(service.operator, delivery?.id ?? 0)).body).toContain('event 1');
    expect(receiver.received).toHaveLength(1);
  });

  it('stay under 20 KB, whatever hosts write', async () => {
    await service.tell({ title: 'x'.repeat(50_000), message: 'y'.repeat(50_000) });
    await service.look();
    expect(receiver.received[0]?.body.length).toBeLessThan(20_000);
  });

  it('keep addresses and secrets to themselves', async () => {
    await receiver.close();
    await service.tell();
    await service.look();
    const shown = JSON.stringify([await logOf(), service.log.lines, await stores.webhooks.list()]);
    const plain = JSON.stringify(
      service.box.open((await stores.webhooks.findByName('chat'))?.sealedUrl ?? '', {
        table: 'webhooks',
        column: 'url',
        row: 1,
      }),
    );
    expect(plain).toContain('s3cret');
    expect(shown.replaceAll(/"sealed\w+":"[^"]*"/g, '')).not.toContain('s3cret');
  });
});
