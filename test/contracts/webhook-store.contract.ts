import { beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../src/domain/events/event-filter.ts';
import type { NewWebhook } from '../../src/domain/events/webhook.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

export const newWebhook = (name: string, over: Partial<NewWebhook> = {}): NewWebhook => ({
  name,
  origin: 'settings',
  shownUrl: 'https://hooks.example.org/…',
  filter: EVERYTHING,
  enabled: true,
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});

export const sealsOf = (id: number) => ({ sealedUrl: `url ${id}`, sealedSecret: `secret ${id}` });

/** What every `WebhookStore` does. */
export function webhookStoreContract(name: string, makeStores: MakeStores): void {
  describe(`WebhookStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps everything that was said, encrypted for its own id, and lists by name', async () => {
      const { webhooks } = stores;
      const chat = await webhooks.add(newWebhook('chat'), sealsOf, trailOf('webhook.add', 'webhook'));
      const filter = {
        events: ['job.failed', 'backup.stale'],
        minSeverity: 'warning',
        tags: ['web'],
      } as const;
      const all = await webhooks.add(newWebhook('all', { filter, origin: 'environment' }), sealsOf, noRecord);
      expect(chat).toEqual({
        ...newWebhook('chat'),
        ...sealsOf(chat.id),
        id: chat.id,
        sealedFormerSecret: null,
        formerUntil: null,
        disabledBecause: null,
        disabledAt: null,
        updatedAt: AT,
      });
      expect(all.filter).toEqual(filter);
      expect(await webhooks.list()).toEqual([all, chat]);
      expect(await webhooks.find(chat.id)).toEqual(chat);
      expect(await webhooks.findByName('all')).toEqual(all);
      expect(await webhooks.find(99)).toBeNull();
      expect((await stores.record()).audit).toEqual([`webhook.add webhook:${chat.id}`]);
    });

    it('refuses a name that is there, and keeps nothing where the record fails', async () => {
      const { webhooks } = stores;
      const { id } = await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      const other = await webhooks.add(newWebhook('other'), sealsOf, noRecord);
      await expectRefusal(webhooks.add(newWebhook('chat'), sealsOf, noRecord), 'name_taken');
      await expectRefusal(webhooks.change(other.id, { name: 'chat' }, AT, noRecord), 'name_taken');
      await expect(webhooks.change(id, { name: 'new' }, AT, brokenRecord)).rejects.toThrow('no record today');
      expect((await webhooks.list()).map((each) => each.name)).toEqual(['chat', 'other']);
    });

    it('changes what is named, nothing else', async () => {
      const { webhooks } = stores;
      const before = await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      const change = {
        sealedFormerSecret: 'old',
        formerUntil: AT + 5,
        filter: { ...EVERYTHING, events: [] },
      };
      const after = await webhooks.change(before.id, change, AT + 1, trailOf('webhook.edit', 'webhook'));
      expect(after).toEqual({ ...before, ...change, updatedAt: AT + 1 });
      const cleared = await webhooks.change(before.id, { sealedFormerSecret: null }, AT + 2, noRecord);
      expect(cleared).toEqual({ ...after, sealedFormerSecret: null, updatedAt: AT + 2 });
      await expectRefusal(webhooks.change(99, {}, AT, noRecord), 'webhook_not_found');
    });

    it('deletes one, and frees its name', async () => {
      const { webhooks } = stores;
      const { id } = await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      await webhooks.remove(id, trailOf('webhook.remove', 'webhook')({ id }));
      expect(await webhooks.list()).toEqual([]);
      await expectRefusal(webhooks.remove(id, {}), 'webhook_not_found');
      await webhooks.add(newWebhook('chat'), sealsOf, noRecord);
      expect((await stores.record()).audit).toEqual([`webhook.remove webhook:${id}`]);
    });
  });
}
