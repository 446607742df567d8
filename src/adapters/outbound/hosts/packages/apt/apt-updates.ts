import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { plainText } from '../../shell/host-text.ts';
import type { AptPlan, PlannedChange } from './apt-plan.ts';
import { isSecurity, type PackagePolicy } from './apt-policy.ts';

export interface AptFindings {
  readonly plan: AptPlan;
  /** Names on hold, as apt writes them: with the architecture where it is not the host's own. */
  readonly holds: ReadonlySet<string>;
  readonly policies: ReadonlyMap<string, PackagePolicy>;
  /** What dpkg did not get to the end of: it failed, or was cut off. */
  readonly unfinished: readonly string[];
}

export interface AptUpdates {
  readonly updates: readonly PendingUpdate[];
  /** What apt leaves out or would remove, for people. */
  readonly notes: readonly string[];
}

/** A hold on `libc6` keeps back `libc6:i386` as well: both are installed in one version. */
const withoutArchitecture = (name: string): string => name.replace(/:[a-z0-9-]+$/, '');

/**
 * What a full upgrade would change, and what waits behind it: held packages, and those that apt keeps back because
 * of what they depend on. An update that Ubuntu hands out in phases is not pending before its turn has come.
 */
export function aptUpdates({ plan, holds, policies, unfinished }: AptFindings): AptUpdates {
  const isHeld = (name: string): boolean => holds.has(name) || holds.has(withoutArchitecture(name));
  const updates = new Map(plan.changes.map((change) => [change.name, planned(change, policies)]));
  const deferred = new Set(plan.deferred);
  const blocked: string[] = [];
  for (const name of new Set([...plan.keptBack, ...plan.deferred, ...holds])) {
    const policy = policies.get(name);
    if (updates.has(name) || !policy) continue;
    const held = isHeld(name);
    if (!held && policy.phased) deferred.add(name);
    if (!held && deferred.has(name)) continue;
    const update = waiting(name, policy, held);
    if (!update) continue;
    updates.set(name, update);
    if (!held) blocked.push(name);
  }
  const later = [...deferred].filter((name) => !updates.has(name));
  return {
    updates: [...updates.values()].slice(0, MAX_UPDATES),
    notes: [
      ...note('These are not installed to the end, and a patch begins with finishing them', unfinished),
      ...note('apt keeps these back because of what they depend on', blocked),
      ...note('Ubuntu hands these out in phases, and it is not this host’s turn yet', later),
      ...note('A full upgrade would remove these', plan.removed),
      ...(plan.changes.length >= MAX_UPDATES ? [`Only the first ${MAX_UPDATES} updates are listed.`] : []),
    ],
  };
}

const planned = (change: PlannedChange, policies: ReadonlyMap<string, PackagePolicy>): PendingUpdate => ({
  ...change,
  security: isSecurity(change.origin ?? '') || policies.get(change.name)?.security === true,
  held: false,
});

function waiting(name: string, policy: PackagePolicy, held: boolean): PendingUpdate | null {
  const { installed, candidate, origin, security } = policy;
  if (installed === null || candidate === null || installed === candidate) return null;
  return { name: plainText(name) ?? '', from: installed, to: candidate, security, origin, held };
}

const MAX_NAMED = 20;

function note(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const named = names.slice(0, MAX_NAMED).map((name) => plainText(name, 80));
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return [`${text}: ${named.join(', ')}${more}.`];
}
