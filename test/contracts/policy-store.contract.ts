import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_RULES, type NewPatchPolicy } from '../../src/domain/automation/patch-policy.ts';
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

const newPolicy = (name: string, over: Partial<NewPatchPolicy> = {}): NewPatchPolicy => ({
  name,
  selector: { by: 'tags', tags: ['web', 'eu'] },
  ...DEFAULT_RULES,
  scheduledTypes: ['os_patch'],
  securityOnly: true,
  minAgeByHandMs: HOUR,
  rebootIfNeeded: true,
  exclusions: [
    { kind: 'package', pattern: 'linux-*', reason: 'Tested by hand', until: AT },
    { kind: 'image', pattern: 'postgres', reason: 'Needs a dump', until: null },
  ],
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});

/** What every `PolicyStore` does. */
export function policyStoreContract(name: string, makeStores: MakeStores): void {
  describe(`PolicyStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('stores every field, and lists by name', async () => {
      const slow = await stores.policies.add(newPolicy('slow'), trailOf('policy.add', 'policy'));
      const all = await stores.policies.add(newPolicy('all', { selector: { by: 'all' } }), noRecord);
      expect(slow).toEqual({ ...newPolicy('slow'), id: slow.id });
      expect(await stores.policies.list()).toEqual([all, slow]);
      expect((await stores.record()).audit).toEqual([`policy.add policy:${slow.id}`]);
    });

    it('refuses a name that exists, and stores nothing if the record fails', async () => {
      await stores.policies.add(newPolicy('slow'), noRecord);
      await expectRefusal(stores.policies.add(newPolicy('slow'), noRecord), 'name_taken');
      await expect(stores.policies.add(newPolicy('fast'), brokenRecord)).rejects.toThrow('no record today');
      expect((await stores.policies.list()).map((policy) => policy.name)).toEqual(['slow']);
    });

    it('changes one, except who created it', async () => {
      const { id } = await stores.policies.add(newPolicy('slow'), noRecord);
      await stores.policies.add(newPolicy('fast'), noRecord);
      const change = newPolicy('late', { exclusions: [], selector: { by: 'all' }, createdBy: 'x' });
      const changed = await stores.policies.change(id, change, trailOf('policy.edit', 'policy'));
      expect(changed).toEqual({ ...change, id, createdBy: 'cli:me' });
      expect(await stores.policies.list()).toContainEqual(changed);
      expect((await stores.record()).audit).toEqual([`policy.edit policy:${id}`]);
      await expectRefusal(stores.policies.change(id, newPolicy('fast'), noRecord), 'name_taken');
      await expectRefusal(stores.policies.change(id + 100, newPolicy('y'), noRecord), 'policy_not_found');
    });

    it('deletes one, and frees its name', async () => {
      const { id } = await stores.policies.add(newPolicy('slow'), noRecord);
      await stores.policies.remove(id, trailOf('policy.remove', 'policy')({ id }));
      expect(await stores.policies.list()).toEqual([]);
      expect((await stores.record()).audit).toEqual([`policy.remove policy:${id}`]);
      await expectRefusal(stores.policies.remove(id, {}), 'policy_not_found');
      await stores.policies.add(newPolicy('slow'), noRecord);
    });
  });
}
