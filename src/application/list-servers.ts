import type { Actor } from '../domain/actor.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Server } from '../domain/server.ts';
import type { ServerStore } from './ports/server-store.ts';

/** The fleet as the caller may see it. */
export class ListServers {
  readonly #servers: ServerStore;

  constructor(deps: { servers: ServerStore }) {
    this.#servers = deps.servers;
  }

  async execute(actor: Actor, query: PageRequest & { readonly q?: string }): Promise<Page<Server>> {
    actor.require('read');
    return this.#servers.list({ ...(query.q ? { q: query.q } : {}), ids: visibleIds(actor) }, query);
  }
}

/** The actor's servers as stores want them: `null` for all. */
export const visibleIds = (actor: Actor): readonly number[] | null =>
  actor.serverIds === null ? null : [...actor.serverIds];
