import type { Actor } from '../../domain/access/actor.ts';
import type { PackageOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { isOlderOn } from '../../domain/fleet/vulnerability.ts';
import { UseCase } from '../base/use-case.ts';
import type { PackageGroup } from '../ports/fleet/package-store.ts';
import { visibleIds } from './list-servers.ts';

export interface PackageListQuery extends PageRequest {
  readonly name: string;
  readonly version: string;
  /** Only packages of which a newer version runs on another server with the same system. */
  readonly outdated: boolean;
  readonly order?: PackageOrder;
}

export interface PackageVersionCount {
  readonly system: string;
  readonly version: string;
  readonly servers: number;
  /** The newest one on this system; `null`: it is this one. */
  readonly newer: string | null;
}

export interface ListedPackage extends Omit<PackageGroup, 'versions'> {
  readonly versions: readonly PackageVersionCount[];
}

/** The packages of the servers that the caller may see, with their versions, from the database; contacts no host. */
export class ListPackages extends UseCase<'packages.groups'> {
  async execute(
    actor: Actor,
    { name, version, outdated, order, ...page }: PackageListQuery,
  ): Promise<Page<ListedPackage>> {
    actor.require('read');
    const search = { name, version, mixed: outdated, ...(order && { order }), serverIds: visibleIds(actor) };
    const found = await this.deps.packages.groups(search, page);
    return { ...found, items: found.items.map(withNewest) };
  }
}

/** By system, the newest version first. */
function withNewest({ versions, ...group }: PackageGroup): ListedPackage {
  const sorted = versions.toSorted((one, other) =>
    one.system === other.system
      ? Number(isOlderOn(one.system, one.version, other.version)) * 2 - 1
      : one.system < other.system
        ? -1
        : 1,
  );
  const newest = new Map<string, string>();
  for (const { system, version } of sorted) if (!newest.has(system)) newest.set(system, version);
  return {
    ...group,
    versions: sorted.map((each) => {
      const last = newest.get(each.system) ?? each.version;
      return { ...each, newer: isOlderOn(each.system, each.version, last) ? last : null };
    }),
  };
}
