import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type {
  FeatureFlag,
  FeatureFlags,
  NewServer,
  Server,
  ServerChange,
  ServerFacts,
} from '../../../domain/fleet/server.ts';
import type { ServerNeed, ServerOrder, TagCount } from '../../../domain/fleet/server-list.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface ServerFilter {
  /** Only those that need this. Backups are stale as `isBackupStale`. */
  readonly needs?: { readonly need: ServerNeed; readonly staleBefore: Instant };
  /** Matches name, hostname and tags, anywhere, whatever the case. `%` and `_` mean themselves. */
  readonly q?: string;
  /** Only those with this tag, as it is written. */
  readonly tag?: string;
  /** Only those that have it on. */
  readonly feature?: FeatureFlag;
  /** Only those whose release gets security updates until then: `from` or later, and before `before`. */
  readonly supportEnds?: { readonly from?: Instant; readonly before: Instant };
  /** Only these; `null` or absent: all. */
  readonly ids?: readonly number[] | null;
  /** For the order by status: backups before it are stale. */
  readonly statusAt?: { readonly staleBefore: Instant };
}

/** Counts over servers, without reading them all. Sums skip unknown values. */
export interface FleetTotals {
  readonly hosts: number;
  /** Hosts with such updates pending. */
  readonly osUpdates: number;
  readonly securityUpdates: number;
  /** The security updates pending on all of them. */
  readonly securityPackages: number;
  readonly containerUpdates: number;
  readonly rebootPending: number;
  /** The oldest `lastBackupAt` among servers with the backup feature on and one at all. */
  readonly lastBackupOldestAt: Instant | null;
  /** Servers with the backup feature on. */
  readonly backupsOn: number;
  /** Servers with the backup feature on as the domain's `isBackupStale`. */
  readonly backupsStale: number;
  /** As `isNotBackedUpYet`. */
  readonly notBackedUpYet: number;
  /** As the domain's `isDiskNearlyFull`. */
  readonly diskFull: number;
  /** As `ServerNeed` has them. */
  readonly updatesUnknown: number;
  readonly unreachable: number;
  /** Unreachable, with a stale backup, or with a critical alert as `worstAlert`. */
  readonly failing: number;
  readonly unchecked: number;
  readonly criticalAlerts: number;
  readonly alerts: number;
  /** The oldest and the newest last contact of all servers. */
  readonly lastSeenOldestAt: Instant | null;
  readonly lastSeenNewestAt: Instant | null;
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
  add(server: NewServer, at: Instant, record: (server: Server) => ChangeRecord): Promise<Server>;
  find(id: number): Promise<Server | null>;
  findByName(name: string): Promise<Server | null>;
  /**
   * By name unless another order is given. Unknown values come first; servers without backups come after those whose
   * last backup is sorted by. Ties are sorted by name.
   */
  list(filter: ServerFilter, page: PageRequest, order?: ServerOrder): Promise<Page<Server>>;
  /** Every tag, the most frequent first, then by name; at most `limit`. */
  tags(filter: Pick<ServerFilter, 'ids'>, limit: number): Promise<readonly TagCount[]>;
  /** Changes only the given fields. Throws `server_not_found`, `name_taken`. */
  change(
    id: number,
    change: ServerChange,
    at: Instant,
    record: (server: Server) => ChangeRecord,
  ): Promise<Server>;
  /** Throws `server_not_found`. */
  setFeatures(
    id: number,
    flags: Partial<FeatureFlags>,
    at: Instant,
    record: (server: Server) => ChangeRecord,
  ): Promise<Server>;
  /** Updates the given facts; absent fields stay. Does nothing for a removed server. */
  learn(id: number, facts: Partial<ServerFacts>): Promise<void>;
  /**
   * Frees the name; its services go, history stays. Throws `server_not_found`, and `job_already_active` while it has an
   * active job.
   */
  remove(id: number, at: Instant, record: ChangeRecord): Promise<void>;
  /** Servers whose inventory is missing or older than `before`, oldest first; at most `limit`. */
  inventoryDue(before: Instant, limit: number): Promise<readonly Server[]>;
  /** Sets the end of support of every server by its system. Returns how many servers that changed. */
  setSupportEnds(endOf: (system: Pick<ServerFacts, 'osId' | 'osVersion'>) => Instant | null): Promise<number>;
  totals(filter: ServerFilter, staleBefore: Instant): Promise<FleetTotals>;
}
