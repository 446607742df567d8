import type { Inventory, PendingUpdate } from './inventory.ts';
import type { Server, ServerFacts } from './server.ts';

type UpdateFacts = Pick<ServerFacts, 'osUpdatesCount' | 'securityUpdatesCount'>;

/** Held packages are not pending. */
export const upgradable = (updates: readonly PendingUpdate[]): readonly PendingUpdate[] =>
  updates.filter((update) => !update.held);

/** The counts after an update check, which has refreshed the package lists. */
export const updateFacts = (
  updates: readonly PendingUpdate[],
): Readonly<Record<keyof UpdateFacts, number>> => ({
  osUpdatesCount: upgradable(updates).length,
  securityUpdatesCount: upgradable(updates).filter((update) => update.security).length,
});

/**
 * The counts after an inventory, which reads the package lists as they are. What they list is pending. That they list none
 * means something only if a check has refreshed them before: until then the count is unknown, not zero. Nothing changes if
 * the inventory could not read the lists.
 */
export function listedUpdates(
  updates: readonly PendingUpdate[] | null,
  wasChecked: boolean,
): Partial<UpdateFacts> {
  if (updates === null) return {};
  const { osUpdatesCount, securityUpdatesCount } = updateFacts(updates);
  const known = (count: number): number | null => (count > 0 || wasChecked ? count : null);
  return { osUpdatesCount: known(osUpdatesCount), securityUpdatesCount: known(securityUpdatesCount) };
}

/** Whether Drover cannot tell if security updates are missing on a server that it connects to and is to keep up to date. */
export const areUpdatesUnknown = ({ features, facts }: Pick<Server, 'features' | 'facts'>): boolean =>
  features.os_patch && facts.inventoryAt !== null && facts.securityUpdatesCount === null;

/** Each update with the time since which its version has been pending, by the previous inventory. */
export function withFirstSeen(inventory: Inventory, former: Inventory | null): Inventory {
  if (inventory.updates === null) return inventory;
  const known = new Map(former?.updates?.map((each) => [versionKey(each), each.seenAt ?? former.at]));
  const updates = inventory.updates.map((each) => ({
    ...each,
    seenAt: each.seenAt ?? known.get(versionKey(each)) ?? inventory.at,
  }));
  return { ...inventory, updates };
}

const versionKey = ({ name, to }: PendingUpdate): string => `${name} ${to}`;
