import type { Inventory } from './inventory.ts';

/** Part of a name of a package or an image, part of a version, or both. */
export interface InventorySearch {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** The inventory with the matching updates and containers alone; `null`: it has none. Case does not matter. */
export function matching(inventory: Inventory, { name, version }: InventorySearch): Inventory | null {
  const has = (text: string | null, part: string | undefined): boolean =>
    part === undefined || (text?.toLowerCase().includes(part.toLowerCase()) ?? false);
  const updates = (inventory.updates ?? []).filter(
    (update) => has(update.name, name) && (has(update.from, version) || has(update.to, version)),
  );
  const containers = (inventory.containers ?? []).filter(
    ({ image }) => has(image, name) && has(image, version),
  );
  return updates.length + containers.length === 0 ? null : { ...inventory, updates, containers };
}
