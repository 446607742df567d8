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
import { namedStoreContract } from './named-store.contract.ts';

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

    namedStoreContract({
      kind: 'window',
      absent: 'window_not_found',
      stores: () => stores,
      store: () => stores.windows,
      make: newWindow,
      other: newWindow('late', {
        opens: { expression: '0 3 * * 6', timeZone: 'UTC' },
        durationMs: HOUR,
        selector: { by: 'all' },
        createdBy: 'x',
      }),
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
  });
}
