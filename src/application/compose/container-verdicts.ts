import type { ContainerFact, Inventory } from '../../domain/fleet/inventory.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';

/** What a check or a patch learnt about containers, by name; those that are absent stay as they are. */
export type LearntUpdates = ReadonlyMap<string, boolean | null>;

/** The inventory with what was learnt. */
export const withUpdates = (inventory: Inventory, learnt: LearntUpdates): Inventory => ({
  ...inventory,
  containers:
    inventory.containers?.map((each) =>
      learnt.has(each.name) ? { ...each, update: learnt.get(each.name) ?? null } : each,
    ) ?? null,
});

/** The count that the server's record keeps: compose projects with an update for any of their containers. */
export const containerFacts = (
  containers: readonly ContainerFact[] | null,
): Pick<ServerFacts, 'containerUpdatesCount'> => ({
  containerUpdatesCount: new Set(
    containers?.filter(({ update, path }) => update === true && path !== null).map(({ path }) => path),
  ).size,
});
