import { z } from 'zod';
import type { PolicyStore } from '../../../../../application/ports/automation/policy-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  DEFAULT_RULES,
  type NewPatchPolicy,
  type PatchPolicy,
  POLICY_JOB_TYPES,
  type PolicyRules,
  policyNotFound,
} from '../../../../../domain/automation/patch-policy.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, json, type Row, text } from '../tables/columns.ts';
import { orderFields } from '../tables/order-row.ts';
import { selector } from '../tables/selector-row.ts';
import { recordChange } from './record-change.ts';

const Rules: z.ZodType<PolicyRules> = z.object({
  rings: orderFields.rings.default([]),
  order: orderFields.order.default([]),
  groups: orderFields.groups.default([]),
  scheduledTypes: z.array(z.enum(POLICY_JOB_TYPES)),
  securityOnly: z.boolean(),
  minAgeMs: z.number(),
  minAgeByHandMs: z.number(),
  securityAtOnce: z.boolean(),
  rebootIfNeeded: z.boolean().default(DEFAULT_RULES.rebootIfNeeded),
  restartUnhealthy: z
    .object({ checks: z.number(), perDay: z.number(), projects: z.array(z.string()).readonly().optional() })
    .nullable()
    .default(DEFAULT_RULES.restartUnhealthy),
  exclusions: z.array(
    z.object({
      kind: z.enum(['package', 'image']),
      pattern: z.string(),
      reason: z.string(),
      until: z.number().nullable(),
    }),
  ),
});

const CHANGEABLE = columns({ name: text, selector, rules: json(Rules) });
const POLICIES = columns({ id: int, ...CHANGEABLE.shape, createdBy: text, createdAt: int });
type PolicyRow = Row<typeof POLICIES>;

const read = (row: PolicyRow): PatchPolicy => {
  const { rules, ...rest } = POLICIES.read(row);
  return { ...rest, ...rules };
};

const parted = ({ name, selector: of, createdBy, createdAt, ...rules }: NewPatchPolicy) => ({
  changeable: { name, selector: of, rules },
  created: { createdBy, createdAt },
});

export class SqlPolicyStore implements PolicyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(policy: NewPatchPolicy, record: (policy: PatchPolicy) => ChangeRecord): Promise<PatchPolicy> {
    const { changeable, created } = parted(policy);
    return this.#database.transaction(async (trx) => {
      const [id] = await trx('patch_policies')
        .insert(POLICIES.write({ ...changeable, ...created }))
        .catch(nameTaken(policy));
      const added = { ...policy, id: Number(id) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async change(
    id: number,
    policy: NewPatchPolicy,
    record: (policy: PatchPolicy) => ChangeRecord,
  ): Promise<PatchPolicy> {
    return this.#database.transaction(async (trx) => {
      await trx('patch_policies')
        .where({ id })
        .update(CHANGEABLE.write(parted(policy).changeable))
        .catch(nameTaken(policy));
      const row = await trx('patch_policies').where({ id }).first<PolicyRow | undefined>(POLICIES.names);
      if (!row) throw policyNotFound(`with id ${id}`);
      const changed = read(row);
      await recordChange(trx, record(changed));
      return changed;
    });
  }

  async list(): Promise<readonly PatchPolicy[]> {
    const rows: PolicyRow[] = await this.#database
      .knex('patch_policies')
      .select(POLICIES.names)
      .orderBy('name');
    return rows.map(read);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      if ((await trx('patch_policies').where({ id }).delete()) === 0) throw policyNotFound(`with id ${id}`);
      await recordChange(trx, record);
    });
  }
}

const nameTaken =
  ({ name }: NewPatchPolicy) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error, 'patch_policies', ['name'])) throw error;
    throw new DomainError('name_taken', `A patch policy named "${name}" already exists.`);
  };
