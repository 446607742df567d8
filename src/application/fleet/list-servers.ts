import type { Actor, Reach } from '../../domain/access/actor.ts';
import { HOUR, type Instant, SECOND } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { type SupportState, supportSpan } from '../../domain/fleet/os-support.ts';
import type { FeatureFlag, Server } from '../../domain/fleet/server.ts';
import {
  type FleetNeeds,
  needsOf,
  type ServerNeed,
  type ServerOrder,
  type TagCount,
} from '../../domain/fleet/server-list.ts';
import { UseCase } from '../base/use-case.ts';
import type { ServerFilter, ServerStore } from '../ports/fleet/server-store.ts';

/** Callers whose counts are kept; each sees other servers. */
const MAX_COUNTS = 100;
const MAX_NAMED = 100;

export interface ServerQuery extends PageRequest {
  readonly q?: string | undefined;
  readonly tag?: string | undefined;
  readonly need?: ServerNeed | undefined;
  readonly feature?: FeatureFlag | undefined;
  readonly support?: SupportState | undefined;
  readonly order?: ServerOrder | undefined;
}

/** A page of the fleet, and what the whole fleet needs. */
export interface FleetPage {
  readonly page: Page<Server>;
  readonly needsOf: (server: Server) => readonly ServerNeed[];
  /** May be a second old. */
  readonly fleet: FleetNeeds;
}

/** The fleet as the caller may see it. */
export class ListServers extends UseCase<'servers' | 'clock' | 'backupStaleHours'> {
  /** Counts go through the whole fleet: agents that list it often share them until the clock's second ends. */
  readonly #counts = new Map<string, { readonly second: number; readonly counts: Promise<FleetNeeds> }>();

  async execute(actor: Actor, query: ServerQuery): Promise<Page<Server>> {
    actor.require('read');
    const { need, order, support } = query;
    const needs = need ? { needs: { need, staleBefore: this.#staleBefore() } } : {};
    const status = order?.by === 'status' ? { statusAt: { staleBefore: this.#staleBefore() } } : {};
    const ends = support ? { supportEnds: supportSpan(support, this.deps.clock.now()) } : {};
    return this.deps.servers.list({ ...filterOf(actor, query), ...needs, ...ends, ...status }, query, order);
  }

  /** Of the servers that the search finds. */
  async counts(actor: Actor, search: Pick<ServerQuery, 'q' | 'tag'>): Promise<FleetNeeds> {
    actor.require('read');
    return search.q || search.tag ? this.#count(filterOf(actor, search)) : this.#countsFor(actor);
  }

  async withNeeds(actor: Actor, query: ServerQuery): Promise<FleetPage> {
    actor.require('read');
    const fleet = await this.#countsFor(actor);
    const isWhole = !query.q && !query.tag && !query.need && !query.feature && !query.support;
    const page = await this.execute(actor, isWhole ? { ...query, uncounted: true } : query);
    return { page: isWhole ? counted(page, fleet.servers) : page, needsOf: this.needsOf, fleet };
  }

  readonly needsOf = (server: Server): readonly ServerNeed[] => needsOf(server, this.#staleBefore());

  #staleBefore(): Instant {
    return this.deps.clock.now() - this.deps.backupStaleHours * HOUR;
  }

  #countsFor(actor: Actor): Promise<FleetNeeds> {
    const second = Math.floor(this.deps.clock.now() / SECOND);
    const ids = visibleIds(actor);
    const key = ids === null ? 'all' : ids.join(',');
    const kept = this.#counts.get(key);
    if (kept?.second === second) return kept.counts;
    if (this.#counts.size >= MAX_COUNTS) this.#counts.clear();
    const counts = sameIfEqual(kept?.counts, this.#count({ ids }));
    this.#counts.set(key, { second, counts });
    void counts.catch(() => this.#counts.delete(key));
    return counts;
  }

  async #count(filter: ServerFilter): Promise<FleetNeeds> {
    const totals = await this.deps.servers.totals(filter, this.#staleBefore());
    return {
      servers: totals.hosts,
      needs: {
        stale_backup: totals.backupsStale,
        disk_full: totals.diskFull,
        security_updates: totals.securityUpdates,
        os_updates: totals.osUpdates,
        container_updates: totals.containerUpdates,
        reboot: totals.rebootPending,
        updates_unknown: totals.updatesUnknown,
        unreachable: totals.unreachable,
        unchecked: totals.unchecked,
        critical_alert: totals.criticalAlerts,
        alert: totals.alerts,
        no_backup: totals.notBackedUpYet,
        lacks_backup: totals.backupsStale + totals.notBackedUpYet,
      },
    };
  }

  /** Of those that exist and that the caller may see; at most `MAX_NAMED`. */
  async names(actor: Actor, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    actor.require('read');
    const visible = visibleIds(actor);
    const wanted = [...new Set(ids)].filter((id) => visible === null || visible.includes(id));
    if (wanted.length === 0) return new Map();
    const page = { limit: MAX_NAMED, offset: 0, uncounted: true } as const;
    const { items } = await this.deps.servers.list({ ids: wanted.slice(0, MAX_NAMED) }, page);
    return new Map(items.map(({ id, name }) => [id, name]));
  }

  /** Those that the caller's servers have, the most frequent first. */
  async tags(actor: Actor, limit: number): Promise<readonly TagCount[]> {
    actor.require('read');
    return this.deps.servers.tags({ ids: visibleIds(actor) }, limit);
  }
}

/** What is rendered with the same counts is kept. */
async function sameIfEqual(
  before: Promise<FleetNeeds> | undefined,
  counts: Promise<FleetNeeds>,
): Promise<FleetNeeds> {
  const [former, now] = await Promise.all([before?.catch(() => undefined), counts]);
  return former && JSON.stringify(former) === JSON.stringify(now) ? former : now;
}

const filterOf = (actor: Actor, { q, tag, feature }: Partial<ServerQuery>): ServerFilter => ({
  ...(q ? { q } : {}),
  ...(tag ? { tag } : {}),
  ...(feature ? { feature } : {}),
  ids: visibleIds(actor),
});

/** The actor's servers as stores want them: `null` for all. */
export const visibleIds = (actor: Actor): readonly number[] | null =>
  actor.serverIds === null ? null : [...actor.serverIds];

const MAX_TAGS = 10_000;

/** What the caller may read, with every tag of these servers: what selects servers by such a tag concerns the caller. */
export async function visibleReach(servers: Pick<ServerStore, 'tags'>, actor: Actor): Promise<Reach> {
  const { ids, tags } = actor.reach('read');
  if (ids === null) return { ids, tags };
  const found = await servers.tags({ ids: [...ids] }, MAX_TAGS);
  return { ids, tags: new Set([...tags, ...found.map(({ tag }) => tag)]) };
}

/** A page that ends early says itself how many there are. */
function counted(page: Page<Server>, total: number): Page<Server> {
  const seen = page.offset + page.items.length;
  const isLast = page.items.length < page.limit && (page.items.length > 0 || page.offset === 0);
  return { ...page, total: isLast ? seen : page.items.length === 0 ? total : Math.max(total, seen) };
}
