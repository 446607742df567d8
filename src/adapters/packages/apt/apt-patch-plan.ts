import { createHash } from 'node:crypto';
import type { PatchPlan, PatchWork } from '../../../application/ports/package-manager.ts';
import { firstLines } from '../../../application/remote-host/host-text.ts';
import { SECTIONS_PRELUDE, type Sections } from '../../../application/remote-host/marked-sections.ts';
import { SECOND } from '../../../domain/instant.ts';
import { MOST_UPDATES } from '../../../domain/inventory.ts';
import type { OsStep } from '../../../domain/job.ts';
import { changeLine, type PackageChange, sortChanges } from '../../../domain/package-change.ts';
import { APT_LISTING, aptPlanErrors, readAptListing } from './apt-listing.ts';
import { readChange } from './apt-outcome.ts';
import { APT_PATCH } from './apt-patch.ts';
import { withoutPasswords } from './apt-refresh-log.ts';
import { planRefusal } from './apt-refusals.ts';
import { APT_SHELL } from './apt-shell.ts';

/** "$1": the mark of the sections, "$2": the steps. */
export const PLAN = `${SECTIONS_PRELUDE}${APT_LISTING}${APT_SHELL}
export DEBIAN_FRONTEND=noninteractive
steps=$2
apt_listing
section plan 2000000 simulate
exit 0
`;

/** What the sections of `PLAN` say. Throws `host_command_failed` with apt's own words where it has no plan. */
export function aptPatchPlan(sections: Sections): PatchPlan {
  const listing = readAptListing(sections);
  const plan = sections.get('plan');
  if (!listing || plan?.exitCode !== 0) {
    throw planRefusal([...aptPlanErrors(sections), ...errorsIn(plan?.text ?? '')].map(withoutPasswords));
  }
  const pending = new Map(listing.updates.map((update) => [update.name, update]));
  const changes = Array.from(firstLines(plan.text, 4 * MOST_UPDATES), readChange)
    .flat()
    .map((change) => ({ ...change, security: pending.get(change.name)?.security ?? change.security }));
  const changed = new Set(changes.map(({ name }) => name));
  const left = listing.updates.filter(({ name }) => !changed.has(name));
  return {
    changes: sortChanges(changes),
    held: left.filter(({ held }) => held),
    keptBack: left.filter(({ held, from }) => !held && from !== null),
    notes: listing.notes,
  };
}

const errorsIn = (text: string): string[] =>
  Array.from(firstLines(text, MOST_UPDATES)).flatMap((line) => (line.startsWith('E: ') ? line.slice(3) : []));

/** The work that takes the steps, or does a plan. */
export const patchWork = (order: {
  readonly steps: readonly OsStep[];
  readonly plan: readonly PackageChange[] | null;
  readonly lockWaitMs: number;
}): PatchWork => ({
  script: APT_PATCH,
  args: [order.steps.join(' '), String(Math.ceil(order.lockWaitMs / SECOND)), digestOf(order.plan)],
});

/** As `sha256sum` on the host computes it; "-" stands for no plan. */
function digestOf(plan: readonly PackageChange[] | null): string {
  if (plan === null) return '-';
  const lines = sortChanges(plan).map((change) => `${changeLine(change)}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}
