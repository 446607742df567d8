import type { Vulnerability } from '../vulnerability.ts';
import {
  advisoryOf,
  assertFew,
  isCve,
  isObject,
  listOf,
  objectOf,
  type SecurityFeed,
  shortText,
} from './security-feed.ts';

const RELEASES: Readonly<Record<string, string>> = {
  trusty: 'ubuntu:14.04',
  xenial: 'ubuntu:16.04',
  bionic: 'ubuntu:18.04',
  focal: 'ubuntu:20.04',
  jammy: 'ubuntu:22.04',
  noble: 'ubuntu:24.04',
  oracular: 'ubuntu:24.10',
  plucky: 'ubuntu:25.04',
  questing: 'ubuntu:25.10',
  resolute: 'ubuntu:26.04',
};

/** Only subscribers of Ubuntu Pro get these. */
const PRO = /(?:esm|fips)\d/i;
const NOTICE = /^\d{1,5}-\d{1,3}$/;

/** The database of Ubuntu security notices, `usn-db/database.json`: notices, then releases, then source packages. */
export const UBUNTU_NOTICES: SecurityFeed = {
  reads: (document) => {
    const [id, notice] = Object.entries(document)[0] ?? [];
    return NOTICE.test(id ?? '') && isObject(objectOf(notice)['releases']);
  },
  *advisories(document) {
    for (const [id, notice] of Object.entries(document)) {
      const rows: Omit<Vulnerability, 'advisory'>[] = [];
      const cves = [...new Set(listOf(objectOf(notice)['cves']).filter(isCve))];
      for (const [release, about] of Object.entries(objectOf(objectOf(notice)['releases']))) {
        const system = Object.hasOwn(RELEASES, release) ? RELEASES[release] : undefined;
        if (system === undefined) continue;
        for (const [name, source] of Object.entries(objectOf(objectOf(about)['sources']))) {
          const place = `/${id}/releases/${release}/sources/${name}`;
          const fixed = shortText(objectOf(source)['version'], `${place}/version`);
          if (PRO.test(fixed)) continue;
          assertFew(rows.length + cves.length, place);
          const range = { system, package: shortText(name, place), introduced: '0', fixed };
          rows.push(...cves.map((cve) => ({ cve, ...range })));
        }
      }
      yield advisoryOf(`USN-${id}`, rows, `/${id}`);
    }
  },
};
