import type { DumpRestoreParams, OsStep, RestoreParams } from './job.ts';

/** Parameters of a job as callers give them. */
export interface RequestedParams {
  readonly sourceFilter?: string | undefined;
  readonly service?: string | undefined;
  readonly osSteps?: readonly OsStep[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly prune?: boolean | undefined;
  readonly guard?: boolean | undefined;
  readonly observeMinutes?: number | undefined;
  readonly waitForHostMinutes?: number | undefined;
  readonly updateJobId?: number | undefined;
  readonly planId?: number | undefined;
  readonly graceSeconds?: number | undefined;
  readonly snapshotId?: number | undefined;
  readonly sample?: string | undefined;
  readonly restore?: RestoreParams | undefined;
  readonly dump?: DumpRestoreParams | undefined;
  /** A template's name. */
  readonly template?: string | undefined;
}
