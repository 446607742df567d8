import type { Actor } from '../../domain/access/actor.ts';
import { HOUR } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { ServerNeed, ServerOrder, TagCount } from '../../domain/fleet/server-list.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';

interface Deps {
  readonly servers: ServerStore;
  readonly clock: Clock;
  readonly backupStaleHours: number;
}

/** The fleet as the caller may see it. */
export class ListServers {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(
    actor: Actor,
    query: PageRequest & {
      readonly q?: string;
      readonly tag?: string;
      readonly need?: ServerNeed;
      readonly order?: ServerOrder;
    },
  ): Promise<Page<Server>> {
    actor.require('read');
    const { q, tag, need, order } = query;
    const staleBefore = this.#deps.clock.now() - this.#deps.backupStaleHours * HOUR;
    return this.#deps.servers.list(
      {
        ...(q ? { q } : {}),
        ...(tag ? { tag } : {}),
        ...(need ? { needs: { need, staleBefore } } : {}),
        ids: visibleIds(actor),
      },
      query,
      order,
    );
  }

  /** Those that the caller's servers have, the most frequent first. */
  async tags(actor: Actor, limit: number): Promise<readonly TagCount[]> {
    actor.require('read');
    return this.#deps.servers.tags({ ids: visibleIds(actor) }, limit);
  }
}

/** The actor's servers as stores want them: `null` for all. */
export const visibleIds = (actor: Actor): readonly number[] | null =>
  actor.serverIds === null ? null : [...actor.serverIds];
