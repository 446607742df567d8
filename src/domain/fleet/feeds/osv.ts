import { severityOfVector, severityOfWord, worstSeverity } from '../cve-severity.ts';
import type { Advisory, Vulnerability } from '../vulnerability.ts';
import {
  advisoryOf,
  assertFew,
  type Fields,
  feedFault,
  isObject,
  listOf,
  objectOf,
  shortText,
} from './security-feed.ts';

const CVE_AT_END = /CVE-\d{4}-\d{4,19}$/;
const ADVISORY = /^[A-Za-z0-9][\w.:-]{1,99}$/;

/** How names of OSV (ossf.github.io/osv-schema) map to os-release. */
const ECOSYSTEMS: readonly (readonly [RegExp, (version: string) => string])[] = [
  [/^Debian:(\d{1,3})$/, (version) => `debian:${version}`],
  [/^Ubuntu:(\d{2}\.\d{2})(?::LTS)?$/, (version) => `ubuntu:${version}`],
  [/^Alpine:v(\d{1,2}\.\d{1,3})$/, (version) => `alpine:${version}`],
  [/^AlmaLinux:(\d{1,3})$/, (version) => `almalinux:${version}`],
  [/^Rocky Linux:(\d{1,3})$/, (version) => `rocky:${version}`],
  [/^Red Hat:enterprise_linux:(\d{1,3})(?:::[a-z]{1,40})?$/, (version) => `rhel:${version}`],
  [/^openSUSE:Leap (\d{1,2}\.\d)$/, (version) => `opensuse-leap:${version}`],
  [/^SUSE:Linux Enterprise Server (\d{1,2} SP\d)$/, (version) => `sles:${version.replace(' SP', '.')}`],
];

function systemOfEcosystem(ecosystem: string): string | null {
  for (const [pattern, system] of ECOSYSTEMS) {
    const version = pattern.exec(ecosystem)?.[1];
    if (version !== undefined) return system(version);
  }
  return null;
}

/** One record of OSV. Other ecosystems are left out. `place`: of the record in its file. Throws `InvalidInput`. */
export function readAdvisory(record: unknown, place: string): Advisory {
  const { id, withdrawn, affected } = isObject(record) ? record : {};
  if (typeof id !== 'string' || !ADVISORY.test(id))
    throw feedFault(`${place}/id`, 'This is not an OSV record.');
  if (typeof withdrawn === 'string') return { id, vulnerabilities: [] };
  const cves = cvesOf(id, record as Fields);
  const vulnerabilities = listOf(affected).flatMap((each, index) =>
    isObject(each) ? rangesOf(each, `${place}/affected/${index}`) : [],
  );
  assertFew(cves.length * vulnerabilities.length, `${place}/affected`);
  const severity = severityOf(record as Fields) ?? undefined;
  const rows = cves.flatMap((cve) => vulnerabilities.map((each) => ({ ...each, cve, severity })));
  return advisoryOf(id, rows, `${place}/affected`);
}

const RATED_SUMMARY = /^(Critical|Important|Moderate|Low):/;

/** By CVSS, the word of the publisher, or the first word of the summary. */
function severityOf(record: Fields) {
  const rated = listOf(record['severity']).map((each) => {
    const { score } = objectOf(each);
    return severityOfVector(score) ?? severityOfWord(score);
  });
  const word = objectOf(record['database_specific'])['severity'];
  const summary = typeof record['summary'] === 'string' ? RATED_SUMMARY.exec(record['summary'])?.[1] : null;
  return worstSeverity(rated) ?? severityOfWord(word) ?? severityOfWord(summary);
}

function cvesOf(id: string, record: Fields): readonly string[] {
  const named = [
    id,
    ...listOf(record['aliases']),
    ...listOf(record['upstream']),
    ...listOf(record['related']),
  ];
  const found = named.flatMap((each) => (typeof each === 'string' ? (CVE_AT_END.exec(each) ?? []) : []));
  return [...new Set(found)];
}

type Range = Omit<Vulnerability, 'advisory' | 'cve' | 'severity'>;

function rangesOf({ package: about, ranges }: Fields, place: string): readonly Range[] {
  if (!isObject(about) || typeof about['ecosystem'] !== 'string') return [];
  const system = systemOfEcosystem(about['ecosystem']);
  if (system === null) return [];
  const name = shortText(about['name'], `${place}/package/name`);
  const found: Range[] = [];
  for (const range of listOf(ranges)) {
    if (!isObject(range) || range['type'] !== 'ECOSYSTEM') continue;
    let introduced: string | null = null;
    for (const event of listOf(range['events'])) {
      if (!isObject(event)) continue;
      if ('introduced' in event) introduced = shortText(event['introduced'], `${place}/ranges`);
      if (!('fixed' in event)) continue;
      const fixed = shortText(event['fixed'], `${place}/ranges`);
      found.push({ system, package: name, introduced: introduced ?? '0', fixed });
      introduced = null;
    }
    if (introduced !== null) found.push({ system, package: name, introduced, fixed: null });
  }
  return found;
}
