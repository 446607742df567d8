import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { type CveSeverity, worstSeverity } from '../../domain/fleet/cve-severity.ts';
import type { ServerPackage } from '../../domain/fleet/installed-package.ts';
import { cveId, fixedIn, isAffected } from '../../domain/fleet/vulnerability.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from './get-server.ts';
import { visibleIds } from './list-servers.ts';

/** Rows of one CVE: every release of every distribution, and its packages. */
const MAX_ROWS = 20_000;
/** Different versions of these packages, and those of them that are affected. */
const MAX_VERSIONS = 20_000;
const MAX_AFFECTED = 2_000;
/** Advisories that servers name for it, and the fixes that they report of the packages of a page. */
const MAX_ADVISORIES = 200;
const MAX_FIXES = 5_000;

export interface AffectedPackage extends ServerPackage {
  /** `null`: not fixed yet. */
  readonly fixedIn: string | null;
}

export interface CveFinding {
  readonly id: string;
  /** Whether the imported security data name it, or a server does. If not, servers may be affected all the same. */
  readonly known: boolean;
  /** The worst one that the imported data name; `null`: not rated. */
  readonly severity: CveSeverity | null;
  readonly advisories: readonly string[];
  /** Systems that the data name for it. */
  readonly systems: readonly string[];
  /** Affected packages, by server. */
  readonly packages: Page<AffectedPackage>;
}

/** Finds the servers that have a CVE, by security data, imported or reported by servers, and the installed packages; contacts no host. */
export class FindCve extends UseCase<
  | 'servers'
  | 'vulnerabilities.ofCve'
  | 'vulnerabilities.advisoriesOf'
  | 'vulnerabilities.fixesOf'
  | 'packages.versionsOf'
  | 'packages.holders'
> {
  /** The number of queries depends on the systems of the CVE, not on the servers. Throws `invalid_input`, `server_not_found`. */
  async execute(
    actor: Actor,
    rawId: string,
    { serverId, ...page }: PageRequest & { readonly serverId?: number | undefined },
  ): Promise<CveFinding> {
    actor.require('read');
    if (serverId !== undefined) await existingServer(this.deps.servers, actor, serverId);
    const serverIds = serverId === undefined ? visibleIds(actor) : [serverId];
    const id = cveId(rawId);
    const about = await this.deps.vulnerabilities.ofCve(id, MAX_ROWS);
    const targets = new Map<string, string[]>();
    for (const { system, package: name } of about) {
      const names = targets.get(system) ?? [];
      if (!names.includes(name)) targets.set(system, [...names, name]);
    }
    const versions = about.length === 0 ? [] : await this.deps.packages.versionsOf(targets, MAX_VERSIONS);
    const affected = versions.filter((each) => about.some((one) => isAffected(each, one)));
    const ids = affected.slice(0, MAX_AFFECTED).map((each) => each.id);
    const reported = await this.deps.vulnerabilities.advisoriesOf(id, serverIds, MAX_ADVISORIES);
    const which = { versionIds: ids, reported: reported.length === 0 ? null : id };
    const found = await this.deps.packages.holders(which, serverIds, page);
    const fixes =
      reported.length === 0
        ? []
        : await this.deps.vulnerabilities.fixesOf(
            { cve: id },
            found.items.map((each) => each.serverId),
            MAX_FIXES,
          );
    const withFix = (each: ServerPackage): AffectedPackage => {
      const own = fixes.filter(
        (fix) => fix.serverId === each.serverId && fix.package === each.name && fix.version === each.version,
      );
      return {
        ...each,
        fixedIn: fixedIn([
          ...about.filter((one) => isAffected(each, one)),
          ...own.map(({ fixed }) => ({ fixed, system: each.system })),
        ]),
      };
    };
    return {
      id,
      known: about.length + reported.length > 0,
      severity: worstSeverity(about.map(({ severity = null }) => severity)),
      advisories: unique([...about.map(({ advisory }) => advisory), ...reported]),
      systems: [...targets.keys()].sort(),
      packages: { ...found, items: found.items.map(withFix) },
    };
  }
}

const unique = (list: readonly string[]): readonly string[] => [...new Set(list)].sort();
