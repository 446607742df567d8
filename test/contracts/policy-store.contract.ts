import { beforeEach, describe } from 'vitest';
import { DEFAULT_RULES, type NewPatchPolicy } from '../../src/domain/automation/patch-policy.ts';
import { HOUR } from '../../src/domain/base/instant.ts';
import { AT, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';
import { namedStoreContract } from './named-store.contract.ts';

const newPolicy = (name: string, over: Partial<NewPatchPolicy> = {}): NewPatchPolicy => ({
  name,
  selector: { by: 'tags', tags: ['web', 'eu'] },
  ...DEFAULT_RULES,
  scheduledTypes: ['os_patch'],
  securityOnly: true,
  minAgeByHandMs: HOUR,
  rebootIfNeeded: true,
  restartUnhealthy: { checks: 3, perDay: 5, projects: ['shop'] },
  exclusions: [
    { kind: 'package', pattern: 'linux-*', reason: 'Tested by hand', until: AT },
    { kind: 'image', pattern: 'postgres', reason: 'Needs a dump', until: null },
  ],
  rings: [{ tag: 'canary', bakeMs: HOUR }],
  order: ['db', 'app'],
  groups: [{ tag: 'db', atOnce: 1 }],
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

    namedStoreContract({
      kind: 'policy',
      absent: 'policy_not_found',
      stores: () => stores,
      store: () => stores.policies,
      make: newPolicy,
      other: newPolicy('late', {
        exclusions: [],
        selector: { by: 'all' },
        securityOnly: false,
        minAgeByHandMs: 0,
        createdBy: 'x',
      }),
    });
  });
}
