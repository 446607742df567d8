import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { count } from '../../domain/base/count.ts';
import type { PlanKind } from '../jobs/job-plans.ts';
import type { BackupPlan } from '../ports/backups/backup-engine.ts';

/** What a backup of one source would send, for a dry run's result. */
export interface PlannedTransfer {
  readonly source: string;
  readonly paths: readonly string[];
  readonly excludes: readonly string[];
  readonly files: number;
  readonly total_bytes: number;
  readonly transfer_files: number;
  readonly transfer_bytes: number;
}

export const plannedTransfer = (source: BackupSource, plan: BackupPlan): PlannedTransfer => ({
  source: source.name,
  paths: source.paths,
  excludes: source.excludes,
  files: plan.files,
  total_bytes: plan.totalBytes,
  transfer_files: plan.transferFiles,
  transfer_bytes: plan.transferBytes,
});

/** Two that bring about the same are the same. */
const transferLine = (each: PlannedTransfer): string =>
  JSON.stringify([
    each.source,
    each.paths,
    each.excludes,
    each.files,
    each.total_bytes,
    each.transfer_files,
    each.transfer_bytes,
  ]);

function isTransfer(value: unknown): value is PlannedTransfer {
  if (typeof value !== 'object' || value === null) return false;
  const { source, paths, excludes, ...numbers } = value as Partial<Record<keyof PlannedTransfer, unknown>>;
  const counts = [numbers.files, numbers.total_bytes, numbers.transfer_files, numbers.transfer_bytes];
  return (
    typeof source === 'string' &&
    Array.isArray(paths) &&
    Array.isArray(excludes) &&
    counts.every((each) => typeof each === 'number')
  );
}

export const TRANSFER_PLAN: PlanKind<PlannedTransfer> = {
  line: transferLine,
  describe: ({ source, transfer_files, transfer_bytes }) =>
    `${source}: ${count(transfer_files, 'file')}, ${count(transfer_bytes, 'byte')}`,
  isChange: isTransfer,
};
