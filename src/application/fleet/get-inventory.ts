import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { InventoryStore } from '../ports/fleet/inventory-store.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

export interface HostInventory {
  readonly server: Server;
  /** `null`: never read. */
  readonly inventory: Inventory | null;
}

interface Deps {
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
}

/** Recorded inventories, from the database; does not contact hosts. */
export class GetInventory {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** One server's, or a page of the fleet's. Throws `server_not_found`. */
  async execute(actor: Actor, serverId: number | null, page: PageRequest): Promise<Page<HostInventory>> {
    actor.require('read');
    if (serverId !== null) {
      const server = await existingServer(this.#deps.servers, actor, serverId);
      const inventory = await this.#deps.inventories.find(serverId);
      return { items: [{ server, inventory }], total: 1, limit: page.limit, offset: 0 };
    }
    const servers = await this.#deps.servers.list({ ids: visibleIds(actor) }, page);
    const found = await this.#deps.inventories.findMany(servers.items.map((server) => server.id));
    return {
      ...servers,
      items: servers.items.map((server) => ({ server, inventory: found.get(server.id) ?? null })),
    };
  }
}
