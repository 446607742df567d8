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
import { SqlStore } from '../database.ts';
import { columns, int, json, type Row, text } from '../tables/columns.ts';
import { orderFields } from '../tables/order-row.ts';
import { selector } from '../tables/selector-row.ts';
import { NamedRows } from './named-rows.ts';
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

const TABLE = 'patch_policies';
const ROWS = new NamedRows<Row<typeof POLICIES>, PatchPolicy>({
  table: TABLE,
  columns: POLICIES.names,
  read: (row) => {
    const { rules, ...rest } = POLICIES.read(row);
    return { ...rest, ...rules };
  },
  notFound: policyNotFound,
  taken: (name) => `A patch policy named "${name}" already exists.`,
});

const parted = ({ name, selector: of, createdBy, createdAt, ...rules }: NewPatchPolicy) => ({
  changeable: { name, selector: of, rules },
  created: { createdBy, createdAt },
});

export class SqlPolicyStore extends SqlStore implements PolicyStore {
  async add(policy: NewPatchPolicy, record: (policy: PatchPolicy) => ChangeRecord): Promise<PatchPolicy> {
    const { changeable, created } = parted(policy);
    return this.database.transaction(async (trx) => {
      const id = await ROWS.insert(trx, policy.name, POLICIES.write({ ...changeable, ...created }));
      const added = { ...policy, id };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async change(...[id, policy, record]: Parameters<PolicyStore['change']>): Promise<PatchPolicy> {
    return this.database.transaction(async (trx) => {
      const row = CHANGEABLE.write(parted(policy).changeable);
      await ROWS.refusing(trx(TABLE).where({ id }).update(row), policy.name);
      return ROWS.left(trx, id, record);
    });
  }

  async list(): Promise<readonly PatchPolicy[]> {
    return ROWS.list(this.database.knex);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction((trx) => ROWS.remove(trx, id, record));
  }
}
