import { severityOfWord } from '../cve-severity.ts';
import type { Vulnerability } from '../vulnerability.ts';
import {
  advisoryOf,
  type Fields,
  isCve,
  isObject,
  objectOf,
  type SecurityFeed,
  shortText,
} from './security-feed.ts';

const RELEASES: Readonly<Record<string, string>> = {
  buster: 'debian:10',
  bullseye: 'debian:11',
  bookworm: 'debian:12',
  trixie: 'debian:13',
  forky: 'debian:14',
};

/** The tracker's issues without a CVE. */
const TEMPORARY = /^TEMP-/;

/**
 * The security tracker's `/tracker/data/json`: source packages, then CVEs, then releases. `resolved` with the version `0`
 * means that the release never had it; `undetermined`, that no one knows.
 */
export const DEBIAN_TRACKER: SecurityFeed = {
  reads: (document) => {
    const [issues] = Object.values(document);
    const [id, issue] = Object.entries(objectOf(issues))[0] ?? [];
    return (isCve(id) || TEMPORARY.test(id ?? '')) && isObject(objectOf(issue)['releases']);
  },
  // By CVE, with the id that osv.dev gives the same record: importing both stores one of them.
  *advisories(document) {
    const found = new Map<string, Omit<Vulnerability, 'advisory'>[]>();
    for (const [name, issues] of Object.entries(document))
      for (const [cve, issue] of Object.entries(objectOf(issues))) {
        if (!isCve(cve)) continue;
        const rows = found.get(cve) ?? [];
        found.set(cve, rows);
        for (const [release, state] of Object.entries(objectOf(objectOf(issue)['releases']))) {
          const system = Object.hasOwn(RELEASES, release) ? RELEASES[release] : undefined;
          const fixed =
            system === undefined ? undefined : fixOf(objectOf(state), `/${name}/${cve}/${release}`);
          if (system === undefined || fixed === undefined) continue;
          const severity = severityOfWord(objectOf(state)['urgency']) ?? undefined;
          rows.push({ cve, system, package: shortText(name, `/${name}`), introduced: '0', fixed, severity });
        }
      }
    for (const [cve, rows] of found) yield advisoryOf(`DEBIAN-${cve}`, rows, `/${cve}`);
  },
};

/** `undefined`: it is not affected, or that is not known. */
function fixOf(state: Fields, place: string): string | null | undefined {
  if (state['status'] === 'open') return null;
  if (state['status'] !== 'resolved' || state['fixed_version'] === '0') return undefined;
  return shortText(state['fixed_version'], `${place}/fixed_version`);
}
