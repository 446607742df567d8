import type { PatchPlan } from '../../../../../application/ports/fleet/package-manager.ts';
import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { sortChanges } from '../../../../../domain/fleet/package-change.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { readChange } from './outcome.ts';

/** The changes that `simulate` printed, and what they leave of the updates that are listed. */
export function planWith(text: string, updates: readonly PendingUpdate[]): Omit<PatchPlan, 'notes'> {
  const pending = new Map(updates.map((update) => [update.name, update]));
  const changes = Array.from(firstLines(text, 4 * MAX_UPDATES), readChange)
    .flat()
    .map((change) => ({ ...change, security: pending.get(change.name)?.security ?? change.security }));
  const changed = new Set(changes.map(({ name }) => name));
  const left = updates.filter(({ name }) => !changed.has(name));
  return {
    changes: sortChanges(changes),
    held: left.filter(({ held }) => held),
    keptBack: left.filter(({ held, from }) => !held && from !== null),
  };
}
