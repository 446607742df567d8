import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import {
  CVE_SEVERITIES,
  type CveSeverity,
  severityRank,
  worstSeverity,
} from '../../domain/fleet/cve-severity.ts';
import { isAffected, type Vulnerability } from '../../domain/fleet/vulnerability.ts';
import { UseCase } from '../base/use-case.ts';
import type { PackageVersion } from '../ports/fleet/package-store.ts';
import { visibleIds } from './list-servers.ts';

/** Entries of the security data about installed packages, their versions, who has them, and what servers report. */
const MAX_ROWS = 50_000;
const MAX_VERSIONS = 20_000;
const MAX_HOLDINGS = 100_000;
const MAX_FIXES = 50_000;

export const CVE_RATINGS = [...CVE_SEVERITIES, 'unrated'] as const;
export type CveRating = (typeof CVE_RATINGS)[number];

export const ratingOf = (severity: CveSeverity | null): CveRating => severity ?? 'unrated';

export interface ListedCve {
  readonly id: string;
  readonly severity: CveSeverity | null;
  /** Affected packages, as the security data name them. */
  readonly packages: readonly string[];
  readonly serverIds: readonly number[];
  /** Versions that fix it; `null` among them: a package or system without a fix. */
  readonly fixes: readonly (string | null)[];
}

export interface CveQuery extends PageRequest {
  /** A part of the id or of the name of a package. */
  readonly text: string;
  readonly rating: CveRating | null;
}

export interface CveList extends Page<ListedCve> {
  /** Whatever the rating. */
  readonly counts: Readonly<Record<CveRating, number>>;
  /** Whether there are any security data, imported or of servers. */
  readonly isInformed: boolean;
  /** False: there are more data than this list goes through. */
  readonly isComplete: boolean;
}

/** The CVEs that affect the servers that the caller may see, the worst first; contacts no host. */
export class ListCves extends UseCase<
  | 'vulnerabilities.count'
  | 'vulnerabilities.ofInstalled'
  | 'vulnerabilities.heldFixes'
  | 'packages.versionsOf'
  | 'packages.holdings'
> {
  async execute(actor: Actor, { text, rating, limit, offset }: CveQuery): Promise<CveList> {
    actor.require('read');
    const { vulnerabilities } = this.deps;
    const serverIds = visibleIds(actor);
    const about = await vulnerabilities.ofInstalled(MAX_ROWS);
    const fixes = await vulnerabilities.heldFixes(serverIds, MAX_FIXES);
    const found = new Found();
    const isWhole = await this.#imported(about, serverIds, found);
    for (const { cve, package: name, serverId, fixed } of fixes)
      found.add(cve, { name, fixed, severity: null, serverIds: [serverId] });
    const wanted = text.trim().toLowerCase();
    const all = found
      .list()
      .filter(
        ({ id, packages }) =>
          id.toLowerCase().includes(wanted) || packages.some((each) => each.toLowerCase().includes(wanted)),
      );
    const counts = Object.fromEntries(
      CVE_RATINGS.map((each) => [each, all.filter(({ severity }) => ratingOf(severity) === each).length]),
    ) as Record<CveRating, number>;
    const chosen = rating === null ? all : all.filter(({ severity }) => ratingOf(severity) === rating);
    return {
      items: chosen.slice(offset, offset + limit),
      total: chosen.length,
      limit,
      offset,
      counts,
      isInformed: about.length + fixes.length > 0 || (await vulnerabilities.count()) > 0,
      isComplete: isWhole && about.length < MAX_ROWS && fixes.length < MAX_FIXES,
    };
  }

  /** Returns whether everything was gone through. */
  async #imported(
    about: readonly Vulnerability[],
    serverIds: readonly number[] | null,
    found: Found,
  ): Promise<boolean> {
    const byPackage = new Map<string, Vulnerability[]>();
    const targets = new Map<string, string[]>();
    for (const each of about) {
      const key = `${each.system} ${each.package}`;
      const others = byPackage.get(key);
      if (others !== undefined) {
        others.push(each);
        continue;
      }
      byPackage.set(key, [each]);
      targets.set(each.system, [...(targets.get(each.system) ?? []), each.package]);
    }
    const versions = about.length === 0 ? [] : await this.deps.packages.versionsOf(targets, MAX_VERSIONS);
    const affected = versions.flatMap((version) => {
      const faults = namesOf(version)
        .flatMap((name) => byPackage.get(`${version.system} ${name}`) ?? [])
        .filter((each) => isAffected(version, each));
      return faults.length === 0 ? [] : [{ version, faults }];
    });
    const holdings = await this.deps.packages.holdings(
      affected.map(({ version: { id } }) => id),
      serverIds,
      MAX_HOLDINGS,
    );
    const holders = new Map<number, number[]>();
    for (const { versionId, serverId } of holdings) {
      const others = holders.get(versionId);
      if (others === undefined) holders.set(versionId, [serverId]);
      else others.push(serverId);
    }
    for (const { version, faults } of affected) {
      const own = holders.get(version.id) ?? [];
      if (own.length === 0) continue;
      for (const { cve, package: name, fixed, severity = null } of faults)
        found.add(cve, { name, fixed, severity, serverIds: own });
    }
    return versions.length < MAX_VERSIONS && holdings.length < MAX_HOLDINGS;
  }
}

const namesOf = ({ name, source }: PackageVersion): readonly string[] =>
  name === source ? [name] : [source, name];

/** CVEs as they are found, package by package. */
class Found {
  readonly #cves = new Map<
    string,
    { severity: CveSeverity | null; packages: Set<string>; fixes: Set<string | null>; serverIds: Set<number> }
  >();

  add(
    cve: string,
    about: {
      readonly name: string;
      readonly fixed: string | null;
      readonly severity: CveSeverity | null;
      readonly serverIds: readonly number[];
    },
  ): void {
    const known = this.#cves.get(cve) ?? {
      severity: null,
      packages: new Set<string>(),
      fixes: new Set<string | null>(),
      serverIds: new Set<number>(),
    };
    known.severity = worstSeverity([known.severity, about.severity]);
    known.packages.add(about.name);
    known.fixes.add(about.fixed);
    for (const id of about.serverIds) known.serverIds.add(id);
    this.#cves.set(cve, known);
  }

  /** The worst first, then those of the most servers, then the latest. */
  list(): readonly ListedCve[] {
    return [...this.#cves]
      .map(([id, { severity, packages, fixes, serverIds }]) => ({
        id,
        severity,
        packages: [...packages].sort(),
        fixes: [...fixes],
        serverIds: [...serverIds],
      }))
      .sort(
        (one, other) =>
          severityRank(one.severity) - severityRank(other.severity) ||
          other.serverIds.length - one.serverIds.length ||
          (one.id < other.id ? 1 : -1),
      );
  }
}
