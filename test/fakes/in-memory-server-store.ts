import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type {
  FleetTotals,
  ServerFilter,
  ServerStore,
} from '../../src/application/ports/fleet/server-store.ts';
import { serverNotFound } from '../../src/domain/access/actor.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { isBackupStale } from '../../src/domain/fleet/fleet-conditions.ts';
import { areUpdatesUnknown } from '../../src/domain/fleet/pending-updates.ts';
import {
  countTags,
  type FeatureFlags,
  type NewServer,
  type Server,
  type ServerChange,
  type ServerFacts,
  UNKNOWN_FACTS,
} from '../../src/domain/fleet/server.ts';
import { needsOf, type ServerOrder, type TagCount } from '../../src/domain/fleet/server-list.ts';
import { isActive, serverHasActiveJob } from '../../src/domain/jobs/job.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryServerStore implements ServerStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(server: NewServer, at: Instant, record: (server: Server) => ChangeRecord): Promise<Server> {
    this.#refuseTaken(server.name, null);
    const id = this.#world.nextId('servers');
    return this.#write(
      { ...server, id, facts: UNKNOWN_FACTS, alertsOpen: 0, createdAt: at, updatedAt: at },
      record,
    );
  }

  async find(id: number): Promise<Server | null> {
    const server = this.#world.servers.get(id);
    return server ? this.#seen(server) : null;
  }

  async findByName(name: string): Promise<Server | null> {
    const server = [...this.#world.servers.values()].find((each) => each.name === name);
    return server ? this.#seen(server) : null;
  }

  async list(
    filter: ServerFilter,
    page: PageRequest,
    { by, descending }: ServerOrder = { by: 'name', descending: false },
  ): Promise<Page<Server>> {
    const matching = this.#matching(filter).map((server) => this.#seen(server));
    const sign = descending ? -1 : 1;
    const ordered = matching.toSorted(
      (a, b) => sign * compare(KEYS[by](a), KEYS[by](b)) || compare([a.name], [b.name]),
    );
    return pageOf(ordered, page);
  }

  async tags({ ids }: Pick<ServerFilter, 'ids'>, limit: number): Promise<readonly TagCount[]> {
    const servers = this.#matching(ids === undefined ? {} : { ids });
    return countTags(servers.map(({ tags }) => ({ tags, servers: 1 }))).slice(0, limit);
  }

  async change(
    id: number,
    change: ServerChange,
    at: Instant,
    record: (server: Server) => ChangeRecord,
  ): Promise<Server> {
    const before = this.#existing(id);
    const { address, ...rest } = change;
    if (rest.name !== undefined) this.#refuseTaken(rest.name, id);
    return this.#write(
      { ...before, ...rest, address: { ...before.address, ...address }, updatedAt: at },
      record,
    );
  }

  async setFeatures(
    id: number,
    flags: Partial<FeatureFlags>,
    at: Instant,
    record: (server: Server) => ChangeRecord,
  ): Promise<Server> {
    const before = this.#existing(id);
    return this.#write({ ...before, features: { ...before.features, ...flags }, updatedAt: at }, record);
  }

  async learn(id: number, facts: Partial<ServerFacts>): Promise<void> {
    const server = this.#world.servers.get(id);
    if (server) this.#world.servers.set(id, { ...server, facts: { ...server.facts, ...facts } });
  }

  async remove(id: number, _at: Instant, record: ChangeRecord): Promise<void> {
    this.#existing(id);
    const holder = [...this.#world.jobs.values()].find((job) => job.serverId === id && isActive(job.status));
    if (holder) throw serverHasActiveJob(holder);
    this.#world.servers.delete(id);
    this.#world.services.delete(id);
    this.#world.record.write(record);
  }

  async inventoryDue(before: Instant, limit: number): Promise<readonly Server[]> {
    const at = (server: Server): number => server.facts.inventoryAt ?? -1;
    return [...this.#world.servers.values()]
      .filter((server) => at(server) < before)
      .toSorted((a, b) => at(a) - at(b) || a.id - b.id)
      .slice(0, limit);
  }

  async totals(filter: ServerFilter, staleBefore: Instant): Promise<FleetTotals> {
    const servers = this.#matching(filter);
    const facts = servers.map((server) => server.facts);
    const backedUp = servers
      .filter((server) => server.features.backup)
      .map((server) => server.facts.lastBackupAt);
    const known = backedUp.filter((at) => at !== null);
    const seen = facts.flatMap(({ lastSeenAt }) => lastSeenAt ?? []);
    const having = (count: (facts: ServerFacts) => number | null): number =>
      facts.filter((each) => (count(each) ?? 0) > 0).length;
    const sum = (value: (facts: ServerFacts) => number | null): number =>
      facts.reduce((total, each) => total + (value(each) ?? 0), 0);
    return {
      hosts: servers.length,
      osUpdates: having((each) => each.osUpdatesCount),
      securityUpdates: having((each) => each.securityUpdatesCount),
      containerUpdates: having((each) => each.containerUpdatesCount),
      rebootPending: facts.filter((each) => each.rebootPending).length,
      lastBackupOldestAt: known.length === 0 ? null : Math.min(...known),
      backupsOn: backedUp.length,
      backupsStale: servers.filter((server) => isBackupStale(server, staleBefore)).length,
      updatesUnknown: servers.filter(areUpdatesUnknown).length,
      unreachable: facts.filter((each) => each.contactFailedSince !== null).length,
      unchecked: facts.filter((each) => each.inventoryAt === null && each.contactFailedSince === null).length,
      lastSeenOldestAt: seen.length === 0 ? null : Math.min(...seen),
      lastSeenNewestAt: seen.length === 0 ? null : Math.max(...seen),
      containers: sum((each) => each.containerCount),
      cpuCores: sum((each) => each.cpuCores),
      memoryTotalBytes: sum((each) => each.memoryTotalBytes),
      memoryUsedBytes: sum((each) => each.memoryUsedBytes),
      diskTotalBytes: sum((each) => each.diskTotalBytes),
      diskUsedBytes: sum((each) => each.diskUsedBytes),
    };
  }

  #seen(server: Server): Server {
    return { ...server, alertsOpen: this.#world.openAlerts([server.id]) };
  }

  #matching({ q, tag, ids, needs, feature }: ServerFilter): readonly Server[] {
    const wanted = q?.toLowerCase() ?? '';
    return [...this.#world.servers.values()].filter(
      (server) =>
        (ids === undefined || ids === null || ids.includes(server.id)) &&
        (needs === undefined || needsOf(server, needs.staleBefore).includes(needs.need)) &&
        (feature === undefined || server.features[feature]) &&
        (tag === undefined || server.tags.includes(tag)) &&
        [server.name, server.address.hostname, ...server.tags].some((text) =>
          text.toLowerCase().includes(wanted),
        ),
    );
  }

  #existing(id: number): Server {
    const server = this.#world.servers.get(id);
    if (!server) throw serverNotFound(id);
    return server;
  }

  #refuseTaken(name: string, except: number | null): void {
    const taken = [...this.#world.servers.values()].some(
      (server) => server.name === name && server.id !== except,
    );
    if (taken)
      throw new DomainError('name_taken', `There is a server named "${name}" already; choose another name.`);
  }

  #write(server: Server, record: (server: Server) => ChangeRecord): Server {
    const left = record(server);
    this.#world.servers.set(server.id, server);
    this.#world.record.write(left);
    return server;
  }
}

type Key = readonly (string | number)[];

const KEYS: Readonly<Record<ServerOrder['by'], (server: Server) => Key>> = {
  name: ({ name }) => [name],
  system: ({ facts }) => [facts.osPretty ?? ''],
  updates: ({ facts }) => [facts.securityUpdatesCount ?? -1, facts.osUpdatesCount ?? -1],
  last_backup: ({ facts, features }) => [Number(!features.backup), facts.lastBackupAt ?? -1],
  last_seen: ({ facts }) => [facts.lastSeenAt ?? -1],
};

function compare(a: Key, b: Key): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}
