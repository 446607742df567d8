import type { Actor } from '../domain/actor.ts';
import { HOUR } from '../domain/instant.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import type { Server } from '../domain/server.ts';
import type { ServerNeed, ServerOrder, TagCount } from '../domain/server-list.ts';
import type { Clock } from './ports/clock.ts';
import type { ServerStore } from './ports/server-store.ts';

/** The fleet as the caller may see it. */
export class ListServers {
  readonly #servers: ServerStore;
  readonly #clock: Clock;
  readonly #staleHours: number;

  constructor(deps: { servers: ServerStore; clock: Clock; backupStaleHours: number }) {
    this.#servers = deps.servers;
    this.#clock = deps.clock;
    this.#staleHours = deps.backupStaleHours;
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
    const staleBefore = this.#clock.now() - this.#staleHours * HOUR;
    return this.#servers.list(
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
    return this.#servers.tags({ ids: visibleIds(actor) }, limit);
  }
}

/** The actor's servers as stores want them: `null` for all. */
export const visibleIds = (actor: Actor): readonly number[] | null =>
  actor.serverIds === null ? null : [...actor.serverIds];
