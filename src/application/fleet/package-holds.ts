import { type HoldTerms, heldBack, type PatchPolicy } from '../../domain/automation/patch-policy.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { toIsoOrNull } from '../../domain/base/instant.ts';
import type { PendingUpdate } from '../../domain/fleet/inventory.ts';
import type { PackageChange } from '../../domain/fleet/package-change.ts';
import type { Job, JobResult } from '../../domain/jobs/job.ts';
import { MAX_HOLD } from '../ports/fleet/package-manager.ts';

/** An update that the server's patch policy keeps pending, as results show it. */
export interface HeldPackage {
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
  readonly reason: string;
  /** When the reason is gone, in ISO 8601; `null`: it is not known. */
  readonly until: string | null;
}

/**
 * The changes of an upgrade that a policy holds back. A new package only comes in for an upgrade, whose age counts: for
 * itself only exclusions do.
 */
export function heldPackages(
  policy: PatchPolicy,
  changes: readonly PackageChange[],
  { updates, ...terms }: HoldTerms & { readonly updates: readonly PendingUpdate[] },
): readonly HeldPackage[] {
  const seen = new Map(updates.map(({ name, to, seenAt }) => [`${name} ${to}`, seenAt ?? null]));
  return changes.flatMap(({ kind, name, from, to, security }) => {
    if (to === null) return [];
    const isNew = kind === 'install';
    const candidate = {
      kind: 'package' as const,
      name,
      security: security || isNew,
      since: isNew ? 0 : (seen.get(`${name} ${to}`) ?? null),
    };
    const held = heldBack(policy, candidate, terms);
    return held === null ? [] : [{ name, from, to, reason: held.reason, until: toIsoOrNull(held.until) }];
  });
}

/** Those that a dry run held back: a job that applies its plan holds them too, whatever their age is now. */
export function heldByPlan(plan: Job | null): readonly HeldPackage[] {
  const held: unknown = (plan?.result satisfies JobResult | null | undefined)?.['held_back'];
  return Array.isArray(held) ? held.filter(isHeld) : [];
}

const isHeld = (value: unknown): value is HeldPackage =>
  typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';

/** Their names, for the package manager. Throws `patch_failed` if there are too many. */
export function namesToHold(held: readonly HeldPackage[]): readonly string[] {
  const names = [...new Set(held.map(({ name }) => name))];
  if (names.length <= MAX_HOLD) return names;
  throw new DomainError(
    'patch_failed',
    `The patch policy holds back ${names.length} packages, and a job can hold at most ${MAX_HOLD}. Nothing was changed. Loosen the policy, or update the server by hand.`,
  );
}

export const describeHeld = ({ name, from, to, reason }: HeldPackage): string =>
  `Held back: ${name} ${from ?? '(new)'} -> ${to}. ${reason}`;
