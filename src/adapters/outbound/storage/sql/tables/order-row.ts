import { z } from 'zod';
import type {
  GroupLimit,
  OrderRules,
  Place,
  PolicyOrder,
} from '../../../../../domain/automation/update-order.ts';
import type { GroupUse } from '../../../../../domain/jobs/job.ts';

const group: z.ZodType<GroupLimit> = z.object({ tag: z.string(), atOnce: z.int() });

export const orderFields = {
  rings: z.array(z.object({ tag: z.string(), bakeMs: z.number() })),
  order: z.array(z.string()),
  groups: z.array(group),
} satisfies { [F in keyof OrderRules]: z.ZodType<OrderRules[F]> };

export const Orders: z.ZodType<readonly PolicyOrder[]> = z.array(
  z.object({ policyId: z.int(), policy: z.string(), ...orderFields }),
);

export const PlaceSchema: z.ZodType<Place> = z.object({
  policyId: z.int(),
  ring: z.int(),
  step: z.int(),
  groups: z.array(z.string()),
});

export const GroupUses: z.ZodType<readonly GroupUse[]> = z.array(
  z.object({ tag: z.string(), atOnce: z.int().nullable() }),
);
