import { readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { isDomainError } from '../../../src/domain/base/errors.ts';
import { ALPINE_SECDB } from '../../../src/domain/fleet/feeds/alpine-secdb.ts';
import { DEBIAN_TRACKER } from '../../../src/domain/fleet/feeds/debian-tracker.ts';
import type { Fields, SecurityFeed } from '../../../src/domain/fleet/feeds/security-feed.ts';
import { UBUNTU_NOTICES } from '../../../src/domain/fleet/feeds/ubuntu-notices.ts';

const fixture = (name: string): Fields =>
  JSON.parse(readFileSync(new URL(`../../fixtures/feeds/${name}.json`, import.meta.url), 'utf8'));
const rows = (feed: SecurityFeed, document: Fields) =>
  [...feed.advisories(document)].flatMap(({ vulnerabilities }) =>
    vulnerabilities.map((each) => [each.advisory, each.cve, each.system, each.package, each.fixed]),
  );

const FEEDS = { debian: DEBIAN_TRACKER, ubuntu: UBUNTU_NOTICES, alpine: ALPINE_SECDB };
const DOCUMENTS = {
  debian: fixture('debian-tracker'),
  ubuntu: fixture('ubuntu-notices'),
  alpine: fixture('alpine-secdb'),
};

test.each(['debian', 'ubuntu', 'alpine'] as const)(
  'the format of %s is recognized by its feed only',
  (name) => {
    const reading = Object.entries(FEEDS).filter(([, feed]) => feed.reads(DOCUMENTS[name]));
    expect(reading.map(([each]) => each)).toEqual([name]);
    expect(FEEDS[name].reads({})).toBe(false);
    expect(FEEDS[name].reads({ id: 'DSA-1-1', affected: [] })).toBe(false);
  },
);

it("reads Debian's tracker: not what a release never had, or no one knows", () => {
  expect(rows(DEBIAN_TRACKER, DOCUMENTS.debian)).toEqual([
    ['DEBIAN-CVE-2024-6387', 'CVE-2024-6387', 'debian:12', 'openssh', '1:9.2p1-2+deb12u3'],
    ['DEBIAN-CVE-2024-6387', 'CVE-2024-6387', 'debian:13', 'openssh', '1:9.7p1-7'],
    ['DEBIAN-CVE-2018-20796', 'CVE-2018-20796', 'debian:12', 'glibc', null],
  ]);
});

it("reads Ubuntu's notices, without those of Ubuntu Pro", () => {
  expect(rows(UBUNTU_NOTICES, DOCUMENTS.ubuntu)).toEqual([
    ['USN-6859-1', 'CVE-2024-6387', 'ubuntu:22.04', 'openssh', '1:8.9p1-3ubuntu0.10'],
    ['USN-6859-1', 'CVE-2024-6387', 'ubuntu:24.04', 'openssh', '1:9.6p1-3ubuntu13.3'],
    ['USN-6860-1', 'CVE-2024-28882', 'ubuntu:22.04', 'openvpn', '2.5.9-0ubuntu0.22.04.3'],
    ['USN-6860-1', 'CVE-2024-5594', 'ubuntu:22.04', 'openvpn', '2.5.9-0ubuntu0.22.04.3'],
  ]);
});

it("reads Alpine's secdb, without what the release never had", () => {
  expect(rows(ALPINE_SECDB, DOCUMENTS.alpine)).toEqual([
    ['secdb-3.20/main/openssh', 'CVE-2024-6387', 'alpine:3.20', 'openssh', '9.7_p1-r4'],
    ['secdb-3.20/main/openssh', 'CVE-2023-46445', 'alpine:3.20', 'openssh', '9.6_p1-r0'],
    ['secdb-3.20/main/openssh', 'CVE-2023-48795', 'alpine:3.20', 'openssh', '9.6_p1-r0'],
    ['secdb-3.20/main/dhcp', 'CVE-2019-6470', 'alpine:3.20', 'dhcp', '4.4.1-r0'],
  ]);
});

const cves = (count: number) => Array.from({ length: count }, (_, n) => `CVE-2024-${10_000 + n}`);
test.each([
  [
    'a version that is none',
    DEBIAN_TRACKER,
    { a: { 'CVE-2024-0001': { releases: { bookworm: { status: 'resolved', fixed_version: 7 } } } } },
    '/a/CVE-2024-0001/bookworm/fixed_version',
  ],
  [
    'a name with a blank',
    DEBIAN_TRACKER,
    { 'a b': { 'CVE-2024-0001': { releases: { bookworm: { status: 'open' } } } } },
    '/a b',
  ],
  [
    'more entries than there can be',
    UBUNTU_NOTICES,
    {
      '1-1': {
        cves: cves(200),
        releases: {
          jammy: { sources: Object.fromEntries(cves(101).map((name) => [name, { version: '1' }])) },
        },
      },
    },
    '/1-1/releases/jammy/sources/CVE-2024-10100',
  ],
  ['another release', ALPINE_SECDB, { distroversion: '3', reponame: 'main', packages: [] }, '/distroversion'],
  [
    'another repository',
    ALPINE_SECDB,
    { distroversion: 'v3.20', reponame: '../x', packages: [] },
    '/reponame',
  ],
  [
    'a package without a name',
    ALPINE_SECDB,
    { distroversion: 'v3.20', reponame: 'main', packages: [{ pkg: {} }] },
    '/packages/0/pkg/name',
  ],
])('refuses %s', (_name, feed, document, path) => {
  try {
    rows(feed, document);
    throw new Error('not refused');
  } catch (error) {
    if (!isDomainError(error, 'invalid_input')) throw error;
    expect(error.problems[0]?.path).toBe(path);
  }
});

test.each([
  ['debian', { a: [], b: null, c: { 'CVE-2024-0001': { releases: [] }, 'CVE-2024-0002': 7 } }],
  ['ubuntu', { '1-1': null, '1-2': { cves: {}, releases: { jammy: { sources: [] }, constructor: {} } } }],
  [
    'alpine',
    { distroversion: 'v3.20', reponame: 'main', packages: [{ pkg: { name: 'a', secfixes: { 1: 'x' } } }] },
  ],
] as const)('finds nothing where %s has another shape', (name, document) => {
  expect(rows(FEEDS[name], document)).toEqual([]);
});
