import type { PackageOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { InstalledPackage, ServerPackage } from '../../../domain/fleet/installed-package.ts';

export interface PackageSearch {
  /** Part of the name, whatever the case. */
  readonly name?: string | undefined;
  /** Part of the version, whatever the case. */
  readonly version?: string | undefined;
  /** `null`: all servers. */
  readonly serverIds: readonly number[] | null;
}

/** A version of a package that servers have. */
export interface PackageVersion extends InstalledPackage {
  readonly id: number;
  readonly system: string;
}

/** A package with its versions on all servers. */
export interface PackageGroup {
  readonly name: string;
  readonly versions: readonly {
    readonly system: string;
    readonly version: string;
    /** How many servers have it. */
    readonly servers: number;
  }[];
  /** How many servers have any of them. */
  readonly servers: number;
}

/** The installed packages of all servers. Equal ones are stored once, however many servers have them. */
export interface PackageStore {
  /** Replaces those of a server. Writes only differences. A removed server gets nothing. */
  save(serverId: number, system: string, packages: readonly InstalledPackage[]): Promise<void>;
  /**
   * By server, then by package. `complete` is false if more than 2,000 different versions match: the page is then of these. The
   * number of queries depends neither on the number of servers nor on that of packages.
   */
  search(
    search: PackageSearch,
    page: PageRequest,
  ): Promise<Page<ServerPackage> & { readonly complete: boolean }>;
  /**
   * By name unless `order` says otherwise; a name counts once for all systems. `mixed`: only packages with several
   * versions on one system.
   */
  groups(
    search: PackageSearch & { readonly mixed?: boolean; readonly order?: PackageOrder },
    page: PageRequest,
  ): Promise<Page<PackageGroup>>;
  /** Which servers have these versions; `null`: of all servers. At most `limit` pairs. */
  holdings(
    versionIds: readonly number[],
    serverIds: readonly number[] | null,
    limit: number,
  ): Promise<readonly { readonly versionId: number; readonly serverId: number }[]>;
  /** Those of a server with one of these names. */
  ofServer(serverId: number, names: readonly string[]): Promise<readonly InstalledPackage[]>;
  /** Different versions of these packages on these systems, by their own name or that of their source; at most `limit`. */
  versionsOf(
    targets: ReadonlyMap<string, readonly string[]>,
    limit: number,
  ): Promise<readonly PackageVersion[]>;
  /**
   * The servers with one of these versions, at most 2,000 of them, and with the versions for which they report a fix of
   * `reported`, a CVE: by server, then by package.
   */
  holders(
    affected: { readonly versionIds: readonly number[]; readonly reported: string | null },
    serverIds: readonly number[] | null,
    page: PageRequest,
  ): Promise<Page<ServerPackage>>;
}
