import { z } from 'zod';
import type { HostSelector } from '../../../../../domain/fleet/host-selector.ts';
import { int, json, orNull } from './columns.ts';

const Selector: z.ZodType<HostSelector> = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('ids'), ids: z.array(z.number()) }),
  z.strictObject({ by: z.literal('tags'), tags: z.array(z.string()) }),
  z.strictObject({ by: z.literal('all') }),
]);

export const selector = json(Selector);

/** How a batch, or one that a schedule starts, is bounded. */
export const bounds = {
  maxParallel: int,
  canary: int,
  stopAfterFailures: orNull(int),
};
