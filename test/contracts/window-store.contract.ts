import { beforeEach, describe, expect, it } from 'vitest';
import type { NewWindow } from '../../src/domain/automation/maintenance-window.ts';
import { HOUR } from '../../src/domain/base/instant.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const newWindow = (name: string, over: Partial<NewWindow> = {}): NewWindow => ({
  name,
  selector: { by: 'tags', tags: ['web', 'eu'] },
  opens: { expression: '0 2 * * 0', timeZone: 'Europe/Berlin' },
  durationMs: 7 * 24 * HOUR,
  enabled: true,
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});

/** What every `WindowStore` does. */
export function windowStoreContract(name: string, makeStores: MakeStores): void {
  describe(`WindowStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps everything that was said, and lists by name', async () => {
      const nights = await stores.windows.add(newWindow('nights'), trailOf('window.add', 'window'));
      const all = await stores.windows.add(newWindow('all', { selector: { by: 'all' } }), noRecord);
      expect(nights).toEqual({ ...newWindow('nights'), id: nights.id });
      expect(await stores.windows.list()).toEqual([all, nights]);
      expect((await stores.record()).audit).toEqual([`window.add window:${nights.id}`]);
    });

    it('refuses a name that is there, and keeps nothing where the record fails', async () => {
      await stores.windows.add(newWindow('nights'), noRecord);
      await expectRefusal(stores.windows.add(newWindow('nights'), noRecord), 'name_taken');
      await expect(stores.windows.add(newWindow('days'), brokenRecord)).rejects.toThrow('no record today');
      expect((await stores.windows.list()).map((window) => window.name)).toEqual(['nights']);
    });

    it('switches one off and on, whatever else is changed of it', async () => {
      const { id } = await stores.windows.add(newWindow('nights'), noRecord);
      const off = await stores.windows.enable(id, false, trailOf('window.disable', 'window'));
      expect(off).toEqual({ ...newWindow('nights'), id, enabled: false });
      expect(await stores.windows.change(id, newWindow('late'), noRecord)).toMatchObject({ enabled: false });
      expect((await stores.record()).audit).toEqual([`window.disable window:${id}`]);
      await expect(stores.windows.enable(id, true, brokenRecord)).rejects.toThrow('no record today');
      expect(await stores.windows.list()).toMatchObject([{ name: 'late', enabled: false }]);
      expect(await stores.windows.enable(id, true, noRecord)).toMatchObject({ enabled: true });
      await expectRefusal(stores.windows.enable(id + 100, true, noRecord), 'window_not_found');
    });

    it('changes one in its place, and not into another', async () => {
      const { id } = await stores.windows.add(newWindow('nights'), noRecord);
      await stores.windows.add(newWindow('days'), noRecord);
      const opens = { expression: '0 3 * * 6', timeZone: 'UTC' };
      const change = newWindow('late', { opens, durationMs: HOUR, selector: { by: 'all' }, createdBy: 'x' });
      const changed = await stores.windows.change(id, change, trailOf('window.edit', 'window'));
      expect(changed).toEqual({ ...change, id, createdBy: 'cli:me' });
      expect((await stores.windows.list()).map((each) => each.name)).toEqual(['days', 'late']);
      expect((await stores.record()).audit).toEqual([`window.edit window:${id}`]);
      await expectRefusal(stores.windows.change(id, newWindow('days'), noRecord), 'name_taken');
      await expect(stores.windows.change(id, newWindow('x'), brokenRecord)).rejects.toThrow(
        'no record today',
      );
      expect(await stores.windows.list()).toContainEqual(changed);
      await expectRefusal(stores.windows.change(id + 100, newWindow('y'), noRecord), 'window_not_found');
      expect(await stores.windows.change(id, change, noRecord)).toEqual(changed);
    });

    it('deletes one, and frees its name', async () => {
      const { id } = await stores.windows.add(newWindow('nights'), noRecord);
      await stores.windows.remove(id, trailOf('window.remove', 'window')({ id }));
      expect(await stores.windows.list()).toEqual([]);
      expect((await stores.record()).audit).toEqual([`window.remove window:${id}`]);
      await expectRefusal(stores.windows.remove(id, {}), 'window_not_found');
      await stores.windows.add(newWindow('nights'), noRecord);
    });
  });
}
