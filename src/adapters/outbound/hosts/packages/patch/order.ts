import { createHash } from 'node:crypto';
import type { PatchWork } from '../../../../../application/ports/fleet/package-manager.ts';
import { SECOND } from '../../../../../domain/base/instant.ts';
import { changeLine, type PackageChange, sortChanges } from '../../../../../domain/fleet/package-change.ts';
import type { OsStep } from '../../../../../domain/jobs/job.ts';
import { patchSteps } from './patch-steps.ts';

/** The work by which a script with `PATCH_FRAME` takes the steps, or does a plan. */
export const patchOrder = (
  script: string,
  order: {
    readonly steps: readonly OsStep[];
    readonly plan: readonly PackageChange[] | null;
    readonly hold?: readonly string[];
    readonly lockWaitMs: number;
  },
): PatchWork => ({
  script,
  args: [
    order.steps.join(' '),
    String(Math.ceil(order.lockWaitMs / SECOND)),
    digestOf(order.plan),
    holdArgument(order.hold),
  ],
  steps: patchSteps(),
});

/** Names separated by blanks. Other text than a name of a package would be a fault of the host, and is left out. */
export const holdArgument = (names: readonly string[] = []): string =>
  names.filter((name) => /^[A-Za-z0-9@_][A-Za-z0-9@._+:~-]{0,199}$/.test(name)).join(' ');

/** As `sha256sum` on the host computes it; "-" means no plan. */
function digestOf(plan: readonly PackageChange[] | null): string {
  if (plan === null) return '-';
  const lines = sortChanges(plan).map((change) => `${changeLine(change)}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
