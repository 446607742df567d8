import type { Instant } from '../../domain/instant.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { FeatureFlags, NewServer, Server, ServerChange, ServerFacts } from '../../domain/server.ts';
import type { Trail } from './trail.ts';

/** What makes a server need care, as lists are asked for it. */
export const SERVER_NEEDS = [
  'stale_backup',
  'security_updates',
  'os_updates',
  'container_updates',
  'reboot',
] as const;
export type ServerNeed = (typeof SERVER_NEEDS)[number];

export interface ServerFilter {
  /** Only those that need this. A backup is stale when the last one is older than `staleBefore`, or there was none. */
  readonly needs?: { readonly need: ServerNeed; readonly staleBefore: Instant };
  /** Matches name, hostname and tags, anywhere, whatever the case. `%` and `_` mean themselves. */
  readonly q?: string;
  /** Only these; `null` or absent: all. */
  readonly ids?: readonly number[] | null;
}

/** Counts over servers, for one answer without reading them all. Sums leave out what is not known. */
export interface FleetTotals {
  readonly hosts: number;
  /** Hosts with such updates pending. */
  readonly osUpdates: number;
  readonly securityUpdates: number;
  readonly containerUpdates: number;
  readonly rebootPending: number;
  /** The oldest `lastBackupAt` among servers with the backup feature on and one at all. */
  readonly lastBackupOldestAt: Instant | null;
  /** Servers with the backup feature on whose `lastBackupAt` is null or before `staleBefore`. */
  readonly backupsStale: number;
  readonly containers: number;
  readonly cpuCores: number;
  readonly memoryTotalBytes: number;
  readonly memoryUsedBytes: number;
  readonly diskTotalBytes: number;
  readonly diskUsedBytes: number;
}

/** Servers that were removed are not there for any of these. */
export interface ServerStore {
  /** Throws `name_taken`. The trail is written with the new id. */
  add(server: NewServer, at: Instant, trail: (server: Server) => Trail): Promise<Server>;
  find(id: number): Promise<Server | null>;
  findByName(name: string): Promise<Server | null>;
  /** By name, then id. */
  list(filter: ServerFilter, page: PageRequest): Promise<Page<Server>>;
  /** Changes what is named, nothing else. Throws `server_not_found`, `name_taken`. */
  change(id: number, change: ServerChange, at: Instant, trail: (server: Server) => Trail): Promise<Server>;
  /** Throws `server_not_found`. */
  setFeatures(
    id: number,
    flags: Partial<FeatureFlags>,
    at: Instant,
    trail: (server: Server) => Trail,
  ): Promise<Server>;
  /** Overwrites what was learnt; fields that are absent stay. Does nothing for a server that is gone. */
  learn(id: number, facts: Partial<ServerFacts>): Promise<void>;
  /**
   * Frees the name; its services go, history stays. Throws `server_not_found`, and `job_already_active` while it has an
   * active job.
   */
  remove(id: number, at: Instant, trail: Trail): Promise<void>;
  /** Servers whose inventory is missing or older than `before`, oldest first; at most `limit`. */
  inventoryDue(before: Instant, limit: number): Promise<readonly Server[]>;
  totals(filter: ServerFilter, staleBefore: Instant): Promise<FleetTotals>;
}
