import { wholeNumber } from '../../application/remote-host/host-text.ts';
import type { Sections } from '../../application/remote-host/marked-sections.ts';
import { OS_FAMILIES, type OsFamily, type PendingUpdate } from '../../domain/inventory.ts';
import { APK_LISTING, readApkUpdates } from './apk/apk-listing.ts';
import { APT_LISTING, readAptListing } from './apt/apt-listing.ts';
import { PACMAN_LISTING, readPacmanUpdates } from './pacman/pacman-listing.ts';
import { DNF_LISTING, readDnfUpdates } from './rpm/dnf-listing.ts';
import { countRpmPackages, RPM_LISTING } from './rpm/rpm-packages.ts';
import { readZypperUpdates, ZYPPER_LISTING } from './rpm/zypper-listing.ts';

/**
 * Tells what is installed and what waits, by the package manager whose database is there (others' programs may be
 * installed too), without refreshing anything.
 */
export const PACKAGE_LISTING = String.raw`
${APT_LISTING}${APK_LISTING}${PACMAN_LISTING}${RPM_LISTING}${DNF_LISTING}${ZYPPER_LISTING}
package_listing() {
  if [ -s /var/lib/dpkg/status ] && has dpkg-query; then
    found debian
    section packages-count 20 dpkg_count
    set -- /var/lib/apt/lists/*Release
    [ -e "$1" ] && has apt-get && apt_listing
  elif { [ -s /lib/apk/db/installed ] || [ -s /usr/lib/apk/db/installed ]; } && has apk; then
    found alpine
    apk_listing
  elif [ -d /var/lib/pacman/local ] && has pacman; then
    found arch
    pacman_listing
  elif has rpm && has zypper && grep -qi suse /etc/os-release; then
    found suse
    rpm_listing
    zypper_listing
  elif has rpm; then
    for manager in dnf5 dnf yum; do
      has "$manager" || continue
      found fedora
      rpm_listing
      dnf_listing "$manager"
      break
    done
  fi
}
found() { section package-family 20 echo "$1"; }
dpkg_count() { limit 20 dpkg-query -W -f '${'$'}{db:Status-Abbrev}\n' | grep -c '^.i'; }
`;

export interface PackageListing {
  /** The family by the package manager that is there. */
  readonly family: OsFamily | null;
  readonly count: number | null;
  readonly updates: readonly PendingUpdate[] | null;
}

type ReadUpdates = (sections: Sections) => readonly PendingUpdate[] | null;
const UPDATES: Readonly<Record<OsFamily, ReadUpdates>> = {
  debian: (sections) => readAptListing(sections)?.updates ?? null,
  alpine: readApkUpdates,
  arch: readPacmanUpdates,
  fedora: readDnfUpdates,
  suse: readZypperUpdates,
};

/** What the sections of `PACKAGE_LISTING` say. */
export function readPackageListing(sections: Sections): PackageListing {
  const word = sections.get('package-family')?.text.trim() ?? '';
  const family = OS_FAMILIES.find((each) => each === word) ?? null;
  const counted = wholeNumber(sections.get('packages-count')?.text.trim());
  return {
    family,
    count: counted ?? countRpmPackages(sections),
    updates: family === null ? null : UPDATES[family](sections),
  };
}
