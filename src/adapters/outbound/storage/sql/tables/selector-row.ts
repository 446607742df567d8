import { z } from 'zod';
import type { BatchBounds } from '../../../../../domain/automation/batch.ts';
import type { HostSelector } from '../../../../../domain/fleet/host-selector.ts';
import { fromJson } from './json.ts';

const Selector: z.ZodType<HostSelector> = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('ids'), ids: z.array(z.number()) }),
  z.strictObject({ by: z.literal('tags'), tags: z.array(z.string()) }),
  z.strictObject({ by: z.literal('all') }),
]);

export const toSelector = (text: string): HostSelector => fromJson(Selector, text);

export const BOUNDS_COLUMNS = ['max_parallel', 'canary', 'stop_after_failures'] as const;

export interface BoundsRow {
  readonly max_parallel: number;
  readonly canary: number;
  readonly stop_after_failures: number | null;
}

export const toBounds = (row: BoundsRow): BatchBounds => ({
  maxParallel: row.max_parallel,
  canary: row.canary,
  stopAfterFailures: row.stop_after_failures,
});

export const boundsColumns = (bounds: BatchBounds): BoundsRow => ({
  max_parallel: bounds.maxParallel,
  canary: bounds.canary,
  stop_after_failures: bounds.stopAfterFailures,
});
