import type { Actor } from '../../domain/access/actor.ts';
import { systemOf } from '../../domain/fleet/installed-package.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import { isFixedBy, isOlderRpm } from '../../domain/fleet/vulnerability.ts';
import { UseCase } from '../base/use-case.ts';

/** Of one inventory; the newest first. A kernel alone can have thousands. */
const MAX_ROWS = 20_000;
/** Of one update. */
const MAX_CVES = 200;
/** Many times what any host needs: a server could report names and versions that all have to be compared. */
const MAX_COMPARED = 200_000;

/** Finds the CVEs that pending updates fix, by security data, imported or reported by the server; contacts no host. */
export class ListUpdateCves extends UseCase<
  'packages.ofServer' | 'vulnerabilities.ofPackages' | 'vulnerabilities.fixesOf'
> {
  /**
   * By the name of the updated package, for an inventory that the caller may see. Four queries at most. Some are left out
   * if there are too many to compare.
   */
  async execute(
    actor: Actor,
    serverId: number,
    { osId, osVersion, updates }: Pick<Inventory, 'osId' | 'osVersion' | 'updates'>,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    actor.require('read');
    const pending = new Map((updates ?? []).map((each) => [each.name, each.to]));
    if (pending.size === 0) return new Map();
    const installed = await this.deps.packages.ofServer(serverId, [...pending.keys()]);
    const names = new Set(installed.flatMap(({ name, source }) => [name, source]));
    if (names.size === 0) return new Map();
    const system = systemOf(osId, osVersion);
    const { vulnerabilities } = this.deps;
    const reported = byPackage(
      await vulnerabilities.fixesOf({ packages: [...pending.keys()] }, [serverId], MAX_ROWS),
    );
    const known = byPackage(await vulnerabilities.ofPackages(system, [...names], MAX_ROWS));
    const found = new Map<string, readonly string[]>();
    let compared = 0;
    for (const each of installed) {
      const to = pending.get(each.name) ?? '';
      const before = { ...each, system };
      const about = [...new Set([each.source, each.name])].flatMap((name) => known.get(name) ?? []);
      const fixes = reported.get(each.name) ?? [];
      compared += about.length + fixes.length;
      if (compared > MAX_COMPARED) break;
      const fixed = about.filter((one) => isFixedBy(before, to, one));
      const own = fixes.filter((fix) => fix.version === each.version && !isOlderRpm(to, fix.fixed));
      const all = new Set([...(found.get(each.name) ?? []), ...[...fixed, ...own].map(({ cve }) => cve)]);
      if (all.size > 0) found.set(each.name, [...all].sort().toReversed().slice(0, MAX_CVES));
    }
    return found;
  }
}

function byPackage<T extends { readonly package: string }>(
  rows: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const others = found.get(row.package);
    if (others === undefined) found.set(row.package, [row]);
    else others.push(row);
  }
  return found;
}
