import type { Actor } from '../../domain/access/actor.ts';
import { batches } from '../../domain/base/batches.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface HostInventory {
  readonly server: Server;
  /** `null`: never read. */
  readonly inventory: Inventory | null;
  /** Before the search. */
  readonly whole: Inventory | null;
}

export interface InventoryQuery extends PageRequest {
  readonly serverId?: number | undefined;
  /** Only hosts with such packages or images, and of those only these. */
  readonly search?: InventorySearch | undefined;
}

/** As many as the store reads at once. */
const AT_ONCE = 100;

/** Recorded inventories, from the database; does not contact hosts. */
export class GetInventory extends UseCase<'servers' | 'inventories'> {
  /** One server's, or a page of the fleet's. Throws `server_not_found`. */
  async execute(actor: Actor, query: InventoryQuery): Promise<Page<HostInventory>> {
    actor.require('read');
    const { serverId, search } = query;
    if (serverId !== undefined) {
      const server = await existingServer(this.deps.servers, actor, serverId);
      const inventory = await this.deps.inventories.find(serverId);
      const found = inventory && search ? matching(inventory, search) : inventory;
      const items = found === null && search ? [] : [{ server, inventory: found, whole: inventory }];
      return { items, total: items.length, limit: query.limit, offset: 0 };
    }
    const ids = search ? await this.#having(search, visibleIds(actor)) : visibleIds(actor);
    const servers = await this.deps.servers.list({ ids }, query);
    const inventories = await this.#read(servers.items.map(({ id }) => id));
    return {
      ...servers,
      items: servers.items.map((server) => {
        const inventory = inventories.get(server.id) ?? null;
        return {
          server,
          inventory: inventory && search ? matching(inventory, search) : inventory,
          whole: inventory,
        };
      }),
    };
  }

  async #having(search: InventorySearch, within: readonly number[] | null): Promise<readonly number[]> {
    const text = search.name ?? search.version ?? '';
    const candidates = await this.deps.inventories.mentioning(text);
    const seen = within === null ? candidates : candidates.filter((id) => within.includes(id));
    const found: number[] = [];
    for (const ids of batches(seen, AT_ONCE)) {
      const part = await this.deps.inventories.findMany(ids);
      for (const [id, inventory] of part) if (matching(inventory, search) !== null) found.push(id);
    }
    return found;
  }

  async #read(ids: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    const found = new Map<number, Inventory>();
    for (const part of batches(ids, AT_ONCE))
      for (const [id, inventory] of await this.deps.inventories.findMany(part)) found.set(id, inventory);
    return found;
  }
}

/** Part of a name of a package or an image, part of a version, or both. */
interface InventorySearch {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** The inventory with the matching updates and containers alone; `null`: it has none. Case does not matter. */
function matching(inventory: Inventory, { name, version }: InventorySearch): Inventory | null {
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
