import type { NewPatchPolicy, PatchPolicy } from '../../../domain/automation/patch-policy.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** Patch policies; there are few. */
export interface PolicyStore {
  /** Throws `name_taken`. */
  add(policy: NewPatchPolicy, record: (policy: PatchPolicy) => ChangeRecord): Promise<PatchPolicy>;
  /** All, by name. */
  list(): Promise<readonly PatchPolicy[]>;
  /** Its creator and the time stay. Throws `policy_not_found`, `name_taken`. */
  change(
    id: number,
    policy: NewPatchPolicy,
    record: (policy: PatchPolicy) => ChangeRecord,
  ): Promise<PatchPolicy>;
  /** Throws `policy_not_found`. */
  remove(id: number, record: ChangeRecord): Promise<void>;
}
