import {
  OS_FAMILIES,
  type OsFamily,
  type PackageFacts,
  type PendingUpdate,
} from '../../../../domain/fleet/inventory.ts';
import { wholeNumber } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { APK_LISTING, readApkUpdates } from './apk/apk.ts';
import { APT_LISTING, readAptPackages } from './apt/apt-listing.ts';
import { PACMAN_LISTING, readPacmanUpdates } from './pacman/pacman.ts';
import { DNF_LISTING, readDnfUpdates } from './rpm/dnf-listing.ts';
import { countRpmPackages, RPM_LISTING } from './rpm/rpm-packages.ts';
import { readZypperUpdates, ZYPPER_LISTING } from './rpm/zypper.ts';

/**
 * Lists installed packages and pending updates, with the package manager whose database exists (others' programs may
 * be installed too), without refreshing anything. "$1" is the stamp of the previous result; with "$2" as
 * `check-follows` it omits what a check of that family reports itself: apt's, which takes the longest.
 */
export const PACKAGE_LISTING = String.raw`
${APT_LISTING}${APK_LISTING}${PACMAN_LISTING}${RPM_LISTING}${DNF_LISTING}${ZYPPER_LISTING}
package_listing() {
  if [ -s /var/lib/dpkg/status ] && has dpkg-query; then
    found debian
    [ "$2" = check-follows ] || apt_packages "$1"
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
found() { section_here package-family printf %s "$1"; }
`;

export interface PackageListing extends PackageFacts {
  /** The family by the package manager that is there. */
  readonly family: OsFamily | null;
}

type ReadUpdates = (sections: Sections) => readonly PendingUpdate[] | null;
const UPDATES: Readonly<Record<Exclude<OsFamily, 'debian'>, ReadUpdates>> = {
  alpine: readApkUpdates,
  arch: readPacmanUpdates,
  fedora: readDnfUpdates,
  suse: readZypperUpdates,
};

/** The sections of `PACKAGE_LISTING`, with the previous result if it is still valid. */
export function readPackageListing(sections: Sections, former: PackageFacts | null = null): PackageListing {
  const word = sections.get('package-family')?.text.trim() ?? '';
  const family = OS_FAMILIES.find((each) => each === word) ?? null;
  if (family === 'debian') return { family, ...readAptPackages(sections, former) };
  return {
    family,
    packagesCount: wholeNumber(sections.get('packages-count')?.text.trim()) ?? countRpmPackages(sections),
    updates: family === null ? null : UPDATES[family](sections),
    packagesStamp: null,
    packagesNotes: [],
    packageLists: null,
  };
}
