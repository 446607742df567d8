import { beforeEach, describe, expect, it } from 'vitest';
import type { HandedOut } from '../../src/application/ports/events/delivery-store.ts';
import { MINUTE } from '../../src/domain/base/instant.ts';
import type { Attempt, Target } from '../../src/domain/events/delivery.ts';
import type { WrittenEvent } from '../../src/domain/events/event.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';
import { newSubscription } from './push-store.contract.ts';
import { newWebhook, sealsOf } from './webhook-store.contract.ts';

const FAILED: Attempt = {
  result: 'failed',
  statusCode: 500,
  durationMs: 12,
  error: 'It answered 500.',
  retryAfterMs: null,
};
const LATER = { status: 'pending', dueAt: AT + MINUTE, error: 'It answered 500.' } as const;
const DONE = { status: 'delivered', dueAt: null, error: null } as const;

const outOf = (event: WrittenEvent, ...targets: Target[]): HandedOut => ({
  event,
  body: `{"of":"${event.uid}"}`,
  targets,
});

/** What every `DeliveryStore` does. */
export function deliveryStoreContract(name: string, makeStores: MakeStores): void {
  describe(`DeliveryStore: ${name}`, () => {
    let stores: StoresSubject;
    let chat: Target;
    let browser: Target;
    beforeEach(async () => {
      stores = await makeStores();
      const { id } = await stores.webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      chat = { channel: 'webhook', id };
      const subscribed = await stores.subscriptions.put(newSubscription('a'), () => 'sealed', noRecord);
      browser = { channel: 'push', id: subscribed.id };
    });

    /** Servers, each of which leaves an event. */
    async function write(count: number): Promise<readonly WrittenEvent[]> {
      for (let index = 1; index <= count; index += 1) {
        const record = trailOf(`added ${index}`, 'server');
        await stores.servers.add(newServer(`server-${index}`), AT, record);
      }
      return stores.deliveries.waiting(100);
    }

    it('gives the events that wait in their order, and each with one name', async () => {
      const events = await write(3);
      expect(events.map(({ title }) => title)).toEqual(['added 1', 'added 2', 'added 3']);
      expect(new Set(events.map(({ uid }) => uid)).size).toBe(3);
      expect(events[0]).toMatchObject({ type: 'server.recovered', severity: 'info', at: AT, serverId: null });
      expect(await stores.deliveries.waiting(2)).toEqual(events.slice(0, 2));
    });

    it('hands an event out once, to whom it is for', async () => {
      const { deliveries } = stores;
      const [one, two, three] = await write(3);
      if (!one || !two || !three) throw new Error('three were written');
      const out = [outOf(one, chat, browser), outOf(two, chat), { ...outOf(three), body: null }];
      expect(await deliveries.handOut(out, [], AT)).toBe(true);
      expect(await deliveries.handOut(out, [], AT)).toBe(false);
      expect(await deliveries.waiting(100)).toEqual([]);
      expect(await deliveries.dueTargets('webhook', AT - 1)).toEqual([]);
      expect(await deliveries.dueTargets('webhook', AT)).toEqual([chat.id]);
      expect(await deliveries.dueTargets('push', AT)).toEqual([browser.id]);
      const due = await deliveries.due(chat, AT, 100);
      expect(due.map(({ event, body }) => [event, body])).toEqual([
        [one, `{"of":"${one.uid}"}`],
        [two, `{"of":"${two.uid}"}`],
      ]);
      expect(due[0]).toMatchObject({ target: chat, status: 'pending', attempts: 0, dueAt: AT, error: null });
      expect(await deliveries.due(chat, AT, 1)).toHaveLength(1);
    });

    it('writes what a try came to, once', async () => {
      const { deliveries } = stores;
      await deliveries.handOut(
        (await write(1)).map((event) => outOf(event, chat)),
        [],
        AT,
      );
      const [due] = await deliveries.due(chat, AT, 1);
      if (!due) throw new Error('it is due');
      expect(await deliveries.settle(due, FAILED, LATER, AT + 5)).toBe(true);
      expect(await deliveries.settle(due, FAILED, DONE, AT + 6)).toBe(false);
      const after = await deliveries.find(due.id);
      expect(after).toMatchObject({ ...LATER, attempts: 1, lastAttemptAt: AT + 5, statusCode: 500 });
      expect(await deliveries.dueTargets('webhook', AT + 5)).toEqual([]);
      const [again] = await deliveries.due(chat, AT + MINUTE, 1);
      if (!again) throw new Error('it is due again');
      expect(again.event.uid).toBe(due.event.uid);
      expect(await deliveries.settle(again, { ...FAILED, statusCode: 204 }, DONE, AT + MINUTE)).toBe(true);
      expect(await deliveries.find(due.id)).toMatchObject({ status: 'delivered', attempts: 2, error: null });
    });

    it('writes the result of a message about several, except those that have changed', async () => {
      const { deliveries } = stores;
      await deliveries.handOut(
        (await write(3)).map((event) => outOf(event, chat)),
        [],
        AT,
      );
      const due = await deliveries.due(chat, AT, 5);
      const [first] = due;
      if (!first) throw new Error('three are due');
      await deliveries.settle(first, FAILED, LATER, AT);
      const taken: Attempt = { ...FAILED, result: 'delivered', statusCode: 200, error: null };
      await deliveries.settleTogether(
        due.map((delivery) => ({ delivery, outcome: DONE })),
        taken,
        AT + 1,
      );
      const { items } = await deliveries.list({ target: chat }, { limit: 5, offset: 0 });
      expect(items.map(({ status, attempts }) => [status, attempts])).toEqual([
        ['delivered', 1],
        ['delivered', 1],
        ['pending', 1],
      ]);
    });

    it('lists the newest first, and restarts one', async () => {
      const { deliveries } = stores;
      const out = (await write(3)).map((event) => outOf(event, chat, browser));
      await deliveries.handOut(out, [], AT);
      const page = { limit: 2, offset: 0 };
      const all = await deliveries.list({ target: chat }, page);
      expect(all.total).toBe(3);
      expect(all.items.map(({ event }) => event.title)).toEqual(['added 3', 'added 2']);
      expect((await deliveries.list({ channel: 'push', status: 'pending' }, page)).total).toBe(3);
      const [due] = await deliveries.due(chat, AT, 1);
      if (!due) throw new Error('it is due');
      await deliveries.settle(due, FAILED, { ...LATER, status: 'dead', dueAt: null }, AT);
      expect((await deliveries.list({ status: 'dead' }, page)).items.map(({ id }) => id)).toEqual([due.id]);
      const again = await deliveries.resend(due.id, AT + 9, trailOf('webhook.resend', 'delivery')(due));
      expect(again).toMatchObject({ status: 'pending', attempts: 0, dueAt: AT + 9, event: due.event });
      await expectRefusal(deliveries.resend(999, AT, {}), 'delivery_not_found');
      expect((await stores.record()).audit).toContain(`webhook.resend delivery:${due.id}`);
    });

    it('sends an event to one target alone', async () => {
      const { deliveries } = stores;
      const event = {
        uid: 'u-1',
        type: 'ping',
        severity: 'info',
        title: 'A test',
        message: 'hello',
        at: AT,
        serverId: null,
        jobId: null,
      } as const;
      const made = await deliveries.send(event, '{}', chat, trailOf('webhook.ping', 'webhook')(chat));
      expect(made).toMatchObject({ event, target: chat, status: 'pending' });
      const waiting = await deliveries.waiting(9);
      expect(waiting.map(({ uid }) => uid)).not.toContain('u-1');
      expect((await deliveries.due(chat, AT, 9)).map(({ id }) => id)).toEqual([made.id]);
      expect(await deliveries.due(browser, AT, 9)).toEqual([]);
      expect(await deliveries.bodyOf(made.id)).toBe('{}');
      expect(await deliveries.bodyOf(999)).toBeNull();
    });

    it('ends pending deliveries to a disabled webhook, and deletes those of a removed one', async () => {
      const { deliveries, webhooks, subscriptions } = stores;
      await deliveries.handOut(
        (await write(2)).map((event) => outOf(event, chat, browser)),
        [],
        AT,
      );
      await webhooks.change(chat.id, { enabled: false }, AT, noRecord);
      const all = await deliveries.list({ target: chat }, { limit: 9, offset: 0 });
      expect(all.items.map(({ status, dueAt }) => [status, dueAt])).toEqual([
        ['cancelled', null],
        ['cancelled', null],
      ]);
      await webhooks.remove(chat.id, {});
      await subscriptions.remove(browser.id, {});
      expect((await deliveries.list({}, { limit: 9, offset: 0 })).total).toBe(0);
    });

    it('opens, renews and ends notifications of failed jobs with their events', async () => {
      const { deliveries, notifications } = stores;
      const serverId = await addServer(stores, 'web');
      const condition = (jobId: number, variant = 'backup') =>
        ({ kind: 'job.failed', subjectId: serverId, serverId, name: 'web', at: AT, variant, jobId }) as const;
      const failed = (jobId: number) => ({
        condition: condition(jobId),
        words: {
          severity: 'critical',
          title: 'backup failed',
          message: `job ${jobId}`,
          muted: false,
        } as const,
      });
      const succeeded = { condition: condition(9), words: null };
      const open = () => notifications.list({ states: ['open'] }, { limit: 9, offset: 0 });
      await deliveries.handOut([], [failed(1)], AT);
      const [first] = (await open()).items;
      expect(first).toMatchObject({
        kind: 'job.failed',
        serverId,
        serverName: 'web',
        jobId: 1,
        openedAt: AT,
      });
      await deliveries.handOut([], [failed(2)], AT + 1);
      expect((await open()).items).toMatchObject([
        { id: first?.id, jobId: 2, message: 'job 2', toldAt: AT + 1 },
      ]);
      await deliveries.handOut([], [{ condition: condition(3, 'os_patch'), words: null }], AT + 2);
      expect((await open()).total).toBe(1);
      await deliveries.handOut([], [failed(3), succeeded], AT + 3);
      expect((await open()).total).toBe(0);
      await deliveries.handOut([], [succeeded, failed(4)], AT + 4);
      expect((await open()).items).toMatchObject([{ jobId: 4 }]);
      expect((await open()).items[0]?.id).not.toBe(first?.id);
    });

    it('deletes what is old and was handed out', async () => {
      const { deliveries } = stores;
      const events = await write(3);
      expect(await deliveries.prune(AT + 1, 100)).toBe(0);
      await deliveries.handOut(
        events.map((event) => outOf(event, chat)),
        [],
        AT,
      );
      expect(await deliveries.prune(AT, 100)).toBe(0);
      expect(await deliveries.prune(AT + 1, 2)).toBe(2);
      expect((await deliveries.list({}, { limit: 9, offset: 0 })).total).toBe(1);
    });
  });
}
