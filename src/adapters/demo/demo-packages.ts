import type { CveSeverity } from '../../domain/fleet/cve-severity.ts';
import { type InstalledPackage, systemOf } from '../../domain/fleet/installed-package.ts';
import type { PendingUpdate } from '../../domain/fleet/inventory.ts';
import type { Advisory } from '../../domain/fleet/vulnerability.ts';
import type { DemoPorts } from './demo-ports.ts';
import { type System, UPDATES } from './fleet.ts';

/** On each server: the name, and the version without what a distribution adds to it. */
const COMMON: readonly (readonly [string, string])[] = [
  ['acl', '2.3.1'],
  ['attr', '2.5.1'],
  ['base-files', '12.4'],
  ['bash', '5.2.15'],
  ['bind-tools', '9.18.33'],
  ['bzip2', '1.0.8'],
  ['ca-certificates', '20260203'],
  ['chrony', '4.3'],
  ['coreutils', '9.1'],
  ['cpio', '2.13'],
  ['dbus', '1.14.10'],
  ['diffutils', '3.8'],
  ['e2fsprogs', '1.47.0'],
  ['ethtool', '6.1'],
  ['file', '5.44'],
  ['findutils', '4.9.0'],
  ['gawk', '5.2.1'],
  ['git', '2.39.5'],
  ['gnupg', '2.2.40'],
  ['gnutls', '3.7.9'],
  ['grep', '3.8'],
  ['gzip', '1.12'],
  ['htop', '3.2.2'],
  ['iproute2', '6.1.0'],
  ['iputils', '20221126'],
  ['jq', '1.6'],
  ['kmod', '30'],
  ['less', '590'],
  ['libcap', '2.66'],
  ['logrotate', '3.21.0'],
  ['lsof', '4.95.0'],
  ['nano', '7.2'],
  ['ncurses', '6.4'],
  ['nftables', '1.0.6'],
  ['pam', '1.5.2'],
  ['pciutils', '3.9.0'],
  ['perl', '5.36.0'],
  ['procps', '4.0.2'],
  ['rsync', '3.2.7'],
  ['sed', '4.9'],
  ['shadow', '4.13'],
  ['sqlite3', '3.40.1'],
  ['strace', '6.1'],
  ['sudo', '1.9.13'],
  ['tar', '1.34'],
  ['tcpdump', '4.99.3'],
  ['tmux', '3.3a'],
  ['unzip', '6.0'],
  ['util-linux', '2.38.1'],
  ['wget', '1.21.3'],
  ['xz-utils', '5.4.1'],
  ['zlib', '1.2.13'],
  ['zstd', '1.5.4'],
];

const SUFFIX: Readonly<Record<System['packages'], string>> = {
  debian: '-1+deb12u1',
  ubuntu: '-1ubuntu1',
  almalinux: '-2.el9',
  alpine: '-r1',
};

/** Packages that are built from another one, by the beginnings of their names. */
const SOURCES: readonly (readonly [string, string])[] = [
  ['libssl', 'openssl'],
  ['openssl-libs', 'openssl'],
  ['openssh-server', 'openssh'],
];

const sourceOf = (name: string): string => SOURCES.find(([start]) => name.startsWith(start))?.[1] ?? name;

/** What is installed on a server with these pending updates. */
export function installedOn(
  { packages }: Pick<System, 'packages'>,
  pending: readonly PendingUpdate[],
): readonly InstalledPackage[] {
  const waiting = new Set(pending.map(({ name }) => name));
  const known = COMMON.map(([name, version]) => [name, `${version}${SUFFIX[packages]}`] as const);
  const updated = UPDATES[packages].map(([name, from, to]) => [name, waiting.has(name) ? from : to] as const);
  return [...known, ...updated].map(([name, version]) => ({
    name,
    version,
    source: sourceOf(name),
    sourceVersion: version,
  }));
}

/** CVEs, how grave they are, and the place of the update that fixes them; null: of `UNFIXED`. */
const CVES: readonly (readonly [string, CveSeverity, number | null])[] = [
  ['CVE-2025-4517', 'critical', 8],
  ['CVE-2025-38352', 'high', 3],
  ['CVE-2025-9230', 'high', 0],
  ['CVE-2025-9232', 'low', 0],
  ['CVE-2025-61984', 'medium', 2],
  ['CVE-2025-61985', 'low', 2],
  ['CVE-2025-9086', 'high', 4],
  ['CVE-2025-53905', 'medium', 5],
  ['CVE-2025-23419', 'medium', 9],
  ['CVE-2025-45582', 'medium', null],
];

const UNFIXED = ['tar', '', null] as const;

/** The security data that an administrator has imported. */
export async function importAdvisories(
  { vulnerabilities }: Pick<DemoPorts, 'vulnerabilities'>,
  systems: readonly System[],
): Promise<void> {
  const advisories = systems.flatMap((system) =>
    CVES.map(([cve, severity, place]): Advisory => {
      const [name, , fixed] = (place === null ? null : UPDATES[system.packages][place]) ?? UNFIXED;
      const advisory = `${system.packages}-${cve}`;
      const about = { cve, severity, system: systemOf(system.id, system.version), introduced: '0', fixed };
      return { id: advisory, vulnerabilities: [{ ...about, advisory, package: sourceOf(name) }] };
    }),
  );
  await vulnerabilities.replace(advisories);
}
