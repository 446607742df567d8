import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';
import { demoTemplate } from '../support/templates.ts';

const by = { createdBy: 'cli:me', at: AT };
const ALL = { limit: 100, offset: 0 };

/** What every `TemplateStore` does. */
export function templateStoreContract(name: string, makeStores: MakeStores): void {
  describe(`TemplateStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('keeps everything that was said, and finds it', async () => {
      const content = demoTemplate('demo', { 'words.txt': 'ünï 😀\r\n\t"quotes" ${X}\n' });
      const saved = await stores.templates.save(content, by, trailOf('template.import', 'template'));
      expect(saved).toEqual({
        ...content,
        id: saved.id,
        version: 1,
        createdBy: 'cli:me',
        createdAt: AT,
        updatedAt: AT,
      });
      expect(await stores.templates.findByName('demo')).toEqual(saved);
      expect(await stores.templates.find(saved.id)).toEqual(saved);
      expect(await stores.templates.findByName('Demo')).toBeNull();
      expect(await stores.templates.find(999_999)).toBeNull();
      expect((await stores.record()).audit).toEqual([`template.import template:${saved.id}`]);
    });

    it('counts versions, and only where something is another', async () => {
      const first = await stores.templates.save(demoTemplate(), by, noRecord);
      expect(await stores.templates.save(demoTemplate(), { ...by, at: AT + 9 }, brokenRecord)).toEqual(first);
      const changed = demoTemplate('demo', { 'new.txt': 'x' });
      const second = await stores.templates.save(changed, { createdBy: 'other', at: AT + 9 }, noRecord);
      expect(second).toEqual({ ...first, files: changed.files, version: 2, updatedAt: AT + 9 });
      const third = await stores.templates.save({ ...changed, description: 'More' }, by, noRecord);
      expect(third).toMatchObject({ id: first.id, version: 3, description: 'More' });
    });

    it('lists by name, without the files', async () => {
      await stores.templates.save(demoTemplate('b'), by, noRecord);
      const a = await stores.templates.save(demoTemplate('a'), by, noRecord);
      const { files, variables, ...summary } = a;
      expect(await stores.templates.list({ limit: 1, offset: 0 })).toEqual({
        items: [{ ...summary, fileCount: files.length, variableCount: variables.length }],
        total: 2,
        limit: 1,
        offset: 0,
      });
      expect((await stores.templates.list({ limit: 5, offset: 1 })).items.map((each) => each.name)).toEqual([
        'b',
      ]);
    });

    it('keeps nothing where the record fails', async () => {
      await expect(stores.templates.save(demoTemplate(), by, brokenRecord)).rejects.toThrow(
        'no record today',
      );
      expect((await stores.templates.list(ALL)).total).toBe(0);
      await stores.templates.save(demoTemplate(), by, noRecord);
      await expect(stores.templates.remove('demo', brokenRecord)).rejects.toThrow('no record today');
      expect((await stores.templates.list(ALL)).total).toBe(1);
    });

    it('deletes one, and starts again at version 1', async () => {
      await stores.templates.save(demoTemplate(), by, noRecord);
      const { id } = await stores.templates.save({ ...demoTemplate(), description: 'x' }, by, noRecord);
      await stores.templates.remove('demo', trailOf('template.remove', 'template'));
      expect(await stores.templates.findByName('demo')).toBeNull();
      expect((await stores.record()).audit).toEqual([`template.remove template:${id}`]);
      await expectRefusal(stores.templates.remove('demo', noRecord), 'template_not_found');
      expect((await stores.templates.save(demoTemplate(), by, noRecord)).version).toBe(1);
    });

    it('takes two at once', async () => {
      const saved = await Promise.all([
        stores.templates.save(demoTemplate(), by, noRecord),
        stores.templates.save({ ...demoTemplate(), description: 'x' }, by, noRecord),
      ]);
      expect(saved.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2]);
      expect((await stores.templates.findByName('demo'))?.version).toBe(2);
    });
  });
}
