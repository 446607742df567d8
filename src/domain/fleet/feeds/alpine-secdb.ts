import type { Vulnerability } from '../vulnerability.ts';
import {
  advisoryOf,
  feedFault,
  isCve,
  listOf,
  objectOf,
  type SecurityFeed,
  shortText,
} from './security-feed.ts';

const RELEASE = /^v(\d{1,2}\.\d{1,3})$/;
const REPOSITORY = /^[a-z]{1,20}$/;

/**
 * A file of secdb.alpinelinux.org, one for each release and repository: packages, then the CVEs that each version fixes. The
 * version `0` means that the release never had them.
 */
export const ALPINE_SECDB: SecurityFeed = {
  reads: ({ distroversion, packages }) => typeof distroversion === 'string' && Array.isArray(packages),
  *advisories({ distroversion, reponame, packages }) {
    const release = RELEASE.exec(String(distroversion))?.[1];
    if (release === undefined) throw feedFault('/distroversion', 'This is not a release such as v3.20.');
    if (typeof reponame !== 'string' || !REPOSITORY.test(reponame))
      throw feedFault('/reponame', 'This is not a repository such as main.');
    for (const [index, each] of listOf(packages).entries()) {
      const place = `/packages/${index}/pkg`;
      const { name: rawName, secfixes } = objectOf(objectOf(each)['pkg']);
      const name = shortText(rawName, `${place}/name`);
      const rows: Omit<Vulnerability, 'advisory'>[] = [];
      for (const [version, ids] of Object.entries(objectOf(secfixes))) {
        if (version === '0') continue;
        const fixed = shortText(version, `${place}/secfixes`);
        const range = { system: `alpine:${release}`, package: name, introduced: '0', fixed };
        rows.push(...cvesIn(ids).map((cve) => ({ cve, ...range })));
      }
      yield advisoryOf(`secdb-${release}/${reponame}/${name}`, rows, place);
    }
  },
};

/** An entry may name several ids: `CVE-2019-6470 GHSA-x`. */
const cvesIn = (ids: unknown): readonly string[] => [
  ...new Set(
    listOf(ids).flatMap((entry) =>
      typeof entry === 'string' ? entry.slice(0, 1_000).split(' ').filter(isCve) : [],
    ),
  ),
];
