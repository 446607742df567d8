import type { PatchPlan } from '../../../../../application/ports/fleet/package-manager.ts';
import { MAX_UPDATES } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { SECTIONS_PRELUDE, type Sections } from '../../shell/marked-sections.ts';
import { PLAN_SHELL } from '../patch/frame.ts';
import { planWith } from '../patch/plan.ts';
import { withoutPasswords } from '../without-passwords.ts';
import { APT_LISTING, aptPlanErrors, readAptListing } from './apt-listing.ts';
import { planRefusal } from './apt-refusals.ts';
import { APT_SHELL } from './apt-shell.ts';

/** "$1": the mark of the sections, "$2": the steps. */
export const PLAN = `${SECTIONS_PRELUDE}${APT_LISTING}${PLAN_SHELL}${APT_SHELL}
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
  return { ...planWith(plan.text, listing.updates), notes: listing.notes };
}

const errorsIn = (text: string): string[] =>
  Array.from(firstLines(text, MAX_UPDATES)).flatMap((line) => (line.startsWith('E: ') ? line.slice(3) : []));
