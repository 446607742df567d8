import type { PatchPolicy } from '../../domain/automation/patch-policy.ts';
import { count } from '../../domain/base/count.ts';
import type { Inventory, PendingUpdate } from '../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import { MAX_PLANNED } from '../jobs/job-plans.ts';
import type { JobContext, RunResult } from '../jobs/runner.ts';
import type { PatchOutcome, PatchPlan } from '../ports/fleet/package-manager.ts';
import { describeHeld, type HeldPackage } from './package-holds.ts';

/** A result stays readable: of longer lists it names this many and counts the rest. A plan is always named whole. */
export const MAX_NAMED = MAX_PLANNED;

const ofKind = (changes: readonly PackageChange[], kind: PackageChange['kind']): number =>
  changes.filter((change) => change.kind === kind).length;

export function changesText(changes: readonly PackageChange[]): string {
  const security = changes.filter((change) => change.security).length;
  return `${count(ofKind(changes, 'upgrade'), 'package')} to upgrade (${count(security, 'security fix', 'security fixes')}), ${ofKind(changes, 'install')} new, ${ofKind(changes, 'remove')} to remove`;
}

export const changesResult = (changes: readonly PackageChange[]): object => ({
  changes_count: changes.length,
  security_count: changes.filter((change) => change.security).length,
  changes: changes.slice(0, MAX_NAMED),
});

/** What an upgrade leaves unchanged. */
export type KeptPackages = Pick<PatchPlan, 'held' | 'keptBack'>;

/**
 * According to the host afterwards; `null` if unknown. Remaining updates were held back by an upgrade only if there
 * was a successful one.
 */
export function leftOf(
  after: Inventory | null,
  upgraded: boolean,
  heldByPolicy: readonly HeldPackage[],
): KeptPackages | null {
  const updates = after?.updates ?? null;
  return (
    updates && {
      held: updates.filter((update) => update.held),
      keptBack: upgraded
        ? withoutHeld(
            updates.filter((update) => !update.held && update.from !== null),
            heldByPolicy,
          )
        : [],
    }
  );
}

const WHY_KEPT_BACK = 'Its upgrade would remove other packages, or needs one that is held.';
export const withReason = (update: PendingUpdate): object => ({ ...update, reason: WHY_KEPT_BACK });

export function tellLeft(context: JobContext, { held, keptBack }: KeptPackages): void {
  const words = ({ name, from, to }: PendingUpdate): string => `${name} ${from ?? '(new)'} -> ${to}`;
  for (const update of held.slice(0, MAX_NAMED)) context.log(`Held on the host: ${words(update)}`);
  for (const update of keptBack.slice(0, MAX_NAMED))
    context.log(`Kept back: ${words(update)}. ${WHY_KEPT_BACK}`);
}

export const withoutHeld = (
  updates: readonly PendingUpdate[],
  held: readonly HeldPackage[],
): readonly PendingUpdate[] => updates.filter(({ name }) => held.every((each) => each.name !== name));

export function tellHeld(context: JobContext, held: readonly HeldPackage[]): void {
  for (const each of held.slice(0, MAX_NAMED)) context.log(describeHeld(each));
}

export const heldCounted = (held: readonly HeldPackage[]): string =>
  held.length > 0 ? `, ${held.length} held back by the policy` : '';

export const policyResult = (policy: PatchPolicy | null, held: readonly HeldPackage[]): object =>
  policy === null && held.length === 0
    ? {}
    : { policy: policy?.name ?? null, held_back: held.slice(0, MAX_NAMED) };

export const leftCounted = ({ held, keptBack }: KeptPackages): string =>
  `${held.length > 0 ? `, ${held.length} held` : ''}${keptBack.length > 0 ? `, ${keptBack.length} kept back` : ''}`;

export function reportOf(
  outcome: PatchOutcome,
  after: Inventory | null,
  left: KeptPackages | null,
  { held, reboots }: { readonly held: readonly HeldPackage[]; readonly reboots: boolean },
): Pick<RunResult, 'summary' | 'result'> {
  const { changes } = outcome;
  const pending = after?.rebootPending ? ' A reboot is pending.' : '';
  const reboot = reboots ? ' A reboot follows.' : pending;
  return {
    summary: `Upgraded ${ofKind(changes, 'upgrade')}, installed ${ofKind(changes, 'install')}, removed ${count(ofKind(changes, 'remove'), 'package')}${left === null ? '' : leftCounted(left)}${heldCounted(held)}.${reboot}`,
    result: {
      dry_run: false,
      ...changesResult(changes),
      held: left?.held.slice(0, MAX_NAMED) ?? null,
      kept_back: left?.keptBack.slice(0, MAX_NAMED).map(withReason) ?? null,
      reboot_pending: after?.rebootPending ?? null,
      ...(reboots ? { reboot_follows: true } : {}),
      notes: outcome.notes,
    },
  };
}
