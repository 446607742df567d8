import { beforeEach, describe, expect, it } from 'vitest';
import type { NewAlertChannel } from '../../src/domain/events/channels/alert-channel.ts';
import { AT_ONCE } from '../../src/domain/events/channels/channel-timing.ts';
import { EVERYTHING } from '../../src/domain/events/event-filter.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

export const newChannel = (name: string, over: Partial<NewAlertChannel> = {}): NewAlertChannel => ({
  name,
  kind: 'ntfy',
  fields: { server: 'https://ntfy.example.org' },
  shownTarget: 'ntfy.example.org',
  filter: EVERYTHING,
  allowPrivate: false,
  enabled: true,
  timing: AT_ONCE,
  reportAt: null,
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});

const sealOf = (id: number): string => `secrets ${id}`;

/** What every `AlertChannelStore` does. */
export function alertChannelStoreContract(name: string, makeStores: MakeStores): void {
  describe(`AlertChannelStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps every field, encrypted for its own id, and lists by name', async () => {
      const { alertChannels } = stores;
      const phone = await alertChannels.add(newChannel('phone'), sealOf, trailOf('channel.add', 'channel'));
      const filter = { events: ['job.failed'], minSeverity: 'warning', tags: ['web', 'mail'] } as const;
      const chat = await alertChannels.add(
        newChannel('chat', { kind: 'slack', fields: {}, filter, allowPrivate: true, enabled: false }),
        sealOf,
        noRecord,
      );
      expect(phone).toEqual({
        ...newChannel('phone'),
        id: phone.id,
        sealedSecrets: sealOf(phone.id),
        updatedAt: AT,
      });
      expect(chat).toMatchObject({ filter, allowPrivate: true, enabled: false, fields: {} });
      expect(await alertChannels.list()).toEqual([chat, phone]);
      expect(await alertChannels.findByName('phone')).toEqual(phone);
      expect(await alertChannels.findByName('nobody')).toBeNull();
      expect((await stores.record()).audit).toEqual([`channel.add channel:${phone.id}`]);
    });

    it('refuses a name that is taken, and keeps nothing if the record fails', async () => {
      const { alertChannels } = stores;
      const { id } = await alertChannels.add(newChannel('phone'), sealOf, noRecord);
      const other = await alertChannels.add(newChannel('other'), sealOf, noRecord);
      await expectRefusal(alertChannels.add(newChannel('phone'), sealOf, noRecord), 'name_taken');
      await expectRefusal(alertChannels.change(other.id, { name: 'phone' }, AT, noRecord), 'name_taken');
      await expect(alertChannels.change(id, { name: 'new' }, AT, brokenRecord)).rejects.toThrow(
        'no record today',
      );
      expect((await alertChannels.list()).map((each) => each.name)).toEqual(['other', 'phone']);
    });

    it('changes the given fields only, and cancels pending deliveries if it is disabled', async () => {
      const { alertChannels, deliveries } = stores;
      const before = await alertChannels.add(newChannel('phone'), sealOf, noRecord);
      const change = { sealedSecrets: 'other', filter: { ...EVERYTHING, tags: ['web'] }, allowPrivate: true };
      const after = await alertChannels.change(before.id, change, AT + 1, noRecord);
      expect(after).toEqual({ ...before, ...change, updatedAt: AT + 1 });
      const event = {
        uid: 'e-1',
        type: 'ping',
        at: AT,
        severity: 'info',
        title: 'A test',
        message: 'It is one.',
        serverId: null,
        jobId: null,
      } as const;
      const target = { channel: 'channel', id: before.id } as const;
      await deliveries.send(event, '{}', target, {});
      expect(await deliveries.dueTargets('channel', AT)).toEqual([before.id]);
      expect(await deliveries.due(target, AT, 5)).toMatchObject([{ event: { uid: 'e-1' }, target }]);
      await alertChannels.change(before.id, { enabled: false }, AT + 2, noRecord);
      expect(await deliveries.dueTargets('channel', AT)).toEqual([]);
      await expectRefusal(alertChannels.change(99, {}, AT, noRecord), 'channel_not_found');
    });

    it('keeps its timing, and writes a weekly report once', async () => {
      const { alertChannels, deliveries } = stores;
      const timing = {
        timeZone: 'Europe/Berlin',
        report: { day: 1, at: '08:00' },
        quiet: { from: '22:00', until: '07:00' },
        digest: { every: 'day', at: '08:30' },
        criticalAtOnce: false,
      } as const;
      const { id } = await alertChannels.add(newChannel('phone', { timing, reportAt: AT }), sealOf, noRecord);
      expect(await alertChannels.findByName('phone')).toMatchObject({ timing, reportAt: AT });
      const event = {
        uid: 'r-1',
        type: 'report.weekly',
        at: AT,
        severity: 'info',
        title: 'Weekly report',
        message: 'One\nTwo',
        serverId: null,
        jobId: null,
      } as const;
      const due = { id, reportAt: AT };
      await Promise.all(
        ['r-1', 'r-2'].map((uid) => alertChannels.sendReport(due, AT + 9, { ...event, uid }, '{}')),
      );
      const target = { channel: 'channel', id } as const;
      const [sent, ...others] = await deliveries.due(target, AT, 5);
      expect(others).toEqual([]);
      expect(sent?.event).toMatchObject({ type: 'report.weekly', message: 'One\nTwo' });
      expect((await alertChannels.findByName('phone'))?.reportAt).toBe(AT + 9);
      await alertChannels.change(id, { enabled: false }, AT, noRecord);
      await alertChannels.sendReport({ id, reportAt: AT + 9 }, null, { ...event, uid: 'r-3' }, '{}');
      expect(await deliveries.due(target, AT + 9, 5)).toEqual([]);
    });

    it('makes held messages due if its timing changes, but no retry', async () => {
      const { alertChannels, deliveries } = stores;
      const { id } = await alertChannels.add(newChannel('phone'), sealOf, noRecord);
      const target = { channel: 'channel', id } as const;
      const event = { type: 'job.failed', at: AT, severity: 'info', title: 'A', message: 'B' } as const;
      for (const uid of ['held', 'tried'])
        await deliveries.send({ ...event, uid, serverId: null, jobId: null }, '{}', target, {});
      const [held, tried] = await deliveries.due(target, AT, 5);
      if (!held || !tried) throw new Error('two are due');
      await deliveries.postpone(held, AT + 60);
      const failed = {
        result: 'failed',
        statusCode: 500,
        durationMs: 1,
        error: 'No.',
        retryAfterMs: null,
      } as const;
      await deliveries.settle(tried, failed, { status: 'pending', dueAt: AT + 60, error: 'No.' }, AT);
      expect(await deliveries.due(target, AT + 59, 5)).toEqual([]);
      // It has changed since it was read.
      await deliveries.postpone(held, AT + 1);
      expect(await deliveries.due(target, AT + 59, 5)).toEqual([]);
      await alertChannels.change(id, { timing: AT_ONCE }, AT + 5, noRecord);
      expect((await deliveries.due(target, AT + 5, 5)).map((each) => each.event.uid)).toEqual(['held']);
    });

    it('deletes one with its deliveries, and frees its name', async () => {
      const { alertChannels } = stores;
      const { id } = await alertChannels.add(newChannel('phone'), sealOf, noRecord);
      await alertChannels.remove(id, trailOf('channel.remove', 'channel')({ id }));
      expect(await alertChannels.list()).toEqual([]);
      await expectRefusal(alertChannels.remove(id, {}), 'channel_not_found');
      await alertChannels.add(newChannel('phone'), sealOf, noRecord);
      expect((await stores.record()).audit).toEqual([`channel.remove channel:${id}`]);
    });
  });
}
