import type { RawSelector } from '../fleet/host-selector.ts';
import type { JobType } from '../jobs/job-types.ts';
import type { RequestedParams } from '../jobs/requested-params.ts';
import type { RawBounds } from './batch.ts';
import type { CronRule } from './cron-rule.ts';

/** A schedule as callers describe it. */
export interface ScheduleDescription {
  readonly name: string;
  readonly selector: RawSelector;
  readonly cron: CronRule;
  readonly jobType: JobType;
  readonly params: RequestedParams;
  readonly bounds: RawBounds;
  readonly jitterMs: number;
  readonly enabled: boolean;
}

/**
 * Absent fields stay; of cron, params and bounds each part separately. A change of the job type resets the params.
 */
export type ScheduleEdit = {
  readonly [K in Exclude<keyof ScheduleDescription, 'cron'>]?: ScheduleDescription[K] | undefined;
} & { readonly cron?: { readonly [K in keyof CronRule]?: string | undefined } | undefined };
