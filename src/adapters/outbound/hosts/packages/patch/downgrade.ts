import {
  type DowngradePlan,
  type DowngradeTarget,
  type PatchWork,
  WHY_LEFT,
} from '../../../../../application/ports/fleet/package-manager.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { MAX_UPDATES } from '../../../../../domain/fleet/inventory.ts';
import { type PackageChange, sortChanges } from '../../../../../domain/fleet/package-change.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { errorWords, withoutPasswords } from '../refresh-outcome.ts';
import { patchOrder } from './order.ts';
import { readChange } from './outcome.ts';

const MAX_QUOTED = 3;

/** Plans the downgrade of the targets "$2" with the functions of `PLAN_SHELL`. */
export const DOWNGRADE_SECTIONS = `
steps=downgrade hold= targets=$2
set -f
pm_there || exit 127
sort_targets
section plan 2000000 simulate
section targets 1000000 printf '%s\\n' "$sorted"
exit 0
`;

const WORD = /^[A-Za-z0-9@_][A-Za-z0-9@._+:~-]{0,199}=[A-Za-z0-9][A-Za-z0-9.+:~^_-]{0,199}$/;

const wordOf = ({ name, version }: DowngradeTarget): string => `${name}=${version}`;

/** Words separated by blanks. Text that is no name and version would be a fault of the host, and is left out. */
export const targetsArgument = (targets: readonly DowngradeTarget[]): string =>
  targets
    .map(wordOf)
    .filter((word) => WORD.test(word))
    .join(' ');

/** Reads `DOWNGRADE_SECTIONS`; throws `host_command_failed` with the package manager's words if there is no plan. */
export function downgradePlan(sections: Sections, targets: readonly DowngradeTarget[]): DowngradePlan {
  const plan = sections.get('plan');
  if (plan?.exitCode !== 0) {
    const words = errorWords(plan?.text ?? '').slice(0, MAX_QUOTED);
    const said = words.length === 0 ? '' : `: ${words.map(withoutPasswords).join('; ')}`;
    throw new DomainError(
      'host_command_failed',
      `The package manager cannot downgrade these packages together${said}. Nothing was changed.`,
    );
  }
  const lines = new Set(firstLines(sections.get('targets')?.text ?? '', MAX_UPDATES));
  return {
    changes: sortChanges(Array.from(firstLines(plan.text, 4 * MAX_UPDATES), readChange).flat()),
    left: targets.flatMap((target) => {
      const why = WHY_LEFT.find((each) => lines.has(`${each} ${wordOf(target)}`));
      return why === undefined ? [] : { ...target, why };
    }),
  };
}

/** The work that applies the plan, or nothing if it would do anything else. */
export const downgradeOrder = (
  script: string,
  order: {
    readonly targets: readonly DowngradeTarget[];
    readonly plan: readonly PackageChange[];
    readonly lockWaitMs: number;
  },
): PatchWork => {
  const work = patchOrder(script, { steps: [], plan: order.plan, lockWaitMs: order.lockWaitMs });
  const [, lockSeconds = '', wanted = ''] = work.args;
  return { ...work, args: ['downgrade', lockSeconds, wanted, targetsArgument(order.targets)] };
};
