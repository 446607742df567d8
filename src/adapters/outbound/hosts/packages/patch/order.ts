import { createHash } from 'node:crypto';
import type { PatchWork } from '../../../../../application/ports/fleet/package-manager.ts';
import { SECOND } from '../../../../../domain/base/instant.ts';
import { changeLine, type PackageChange, sortChanges } from '../../../../../domain/fleet/package-change.ts';
import type { OsStep } from '../../../../../domain/jobs/job.ts';

/** The work by which a script with `PATCH_FRAME` takes the steps, or does a plan. */
export const patchOrder = (
  script: string,
  order: {
    readonly steps: readonly OsStep[];
    readonly plan: readonly PackageChange[] | null;
    readonly lockWaitMs: number;
  },
): PatchWork => ({
  script,
  args: [order.steps.join(' '), String(Math.ceil(order.lockWaitMs / SECOND)), digestOf(order.plan)],
});

/** As `sha256sum` on the host computes it; "-" means no plan. */
function digestOf(plan: readonly PackageChange[] | null): string {
  if (plan === null) return '-';
  const lines = sortChanges(plan).map((change) => `${changeLine(change)}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
