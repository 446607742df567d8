import { beforeEach, describe, expect, it } from 'vitest';
import { type MakeStores, type StoresSubject, trailOf } from '../support/stores-subject.ts';

/** What every `SettingStore` does. */
export function settingStoreContract(name: string, makeStores: MakeStores): void {
  describe(`SettingStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps a text, replaces it, and has none that was never set', async () => {
      const { settings } = stores;
      expect(await settings.get('key.check')).toBeNull();
      await settings.set('key.check', 'v1');
      await settings.set('key.check', `${'ü'.repeat(100_000)} `);
      expect(await settings.get('key.check')).toBe(`${'ü'.repeat(100_000)} `);
      await settings.set('key.check', '');
      expect(await settings.get('key.check')).toBe('');
      expect(await settings.get('key.check ')).toBeNull();
      expect(await settings.get('KEY.check')).toBeNull();
    });

    it('leaves behind what it is given, with the change', async () => {
      await stores.settings.set('rule', 'strict', trailOf('user.decide', 'user')({ id: 1 }));
      expect((await stores.record()).audit).toEqual(['user.decide user:1']);
    });

    it('sets once only what is not there', async () => {
      const { settings } = stores;
      expect(await settings.setOnce('first', 'a')).toBe(true);
      expect(await settings.setOnce('first', 'b')).toBe(false);
      expect(await settings.get('first')).toBe('a');
    });

    it('tells exactly one of many at once that it did', async () => {
      const values = Array.from({ length: 20 }, (_, index) => String(index));
      const told = await Promise.all(values.map((value) => stores.settings.setOnce('race', value)));
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await stores.settings.get('race')).toBe(values[told.indexOf(true)]);
    });

    it('takes the same name from several at once', async () => {
      await Promise.all(Array.from({ length: 8 }, () => stores.settings.set('same', 'x')));
      expect(await stores.settings.get('same')).toBe('x');
    });
  });
}
