import type { Actor } from '../../domain/access/actor.ts';
import type { TagCount } from '../../domain/fleet/server-list.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import { visibleIds } from './list-servers.ts';

const MAX_TAGS = 500;

interface Deps {
  readonly servers: ServerStore;
}

/** The tags of the servers that the caller may see, the most frequent first; at most 500. */
export class ListTags {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(actor: Actor): Promise<readonly TagCount[]> {
    actor.require('read');
    return this.#deps.servers.tags({ ids: visibleIds(actor) }, MAX_TAGS);
  }
}
