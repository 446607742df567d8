import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';

export const RPM_LISTING = String.raw`
rpm_listing() {
  section rpm-packages 2000000 limit 20 rpm -qa --qf '%{INSTALLTIME} %{NAME}.%{ARCH} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n'
}
`;

const PACKAGE = /^(\d{1,12}) (\S{1,200}) (\S{1,200})$/;
const MAX_PACKAGES = 30_000;

/** Version by name and architecture (`demo-lib.x86_64`); of several, as with kernels, the one that was installed last. */
export function installedVersions(sections: Sections): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const { name, version } of packages(sections).toSorted((one, other) => one.at - other.at)) {
    versions.set(name, version);
  }
  return versions;
}

export function countRpmPackages(sections: Sections): number | null {
  const section = sections.get('rpm-packages');
  return section?.exitCode === 0 ? packages(sections).length : null;
}

function packages(sections: Sections): Array<{ at: number; name: string; version: string }> {
  const lines = Array.from(firstLines(sections.get('rpm-packages')?.text ?? '', MAX_PACKAGES));
  return lines.flatMap((line) => {
    const [, at = '', name = '', version = ''] = PACKAGE.exec(line) ?? [];
    // keys that packages are signed with are kept as if they were packages
    return at === '' || name.startsWith('gpg-pubkey.') ? [] : [{ at: Number(at), name, version }];
  });
}

/** Shared by the package managers above rpm: see `PATCH_FRAME`. */
export const RPM_SHELL = String.raw`
pm_conf_names='\.(rpmnew|rpmsave|rpmorig)$'
# Names carry their architecture where it is not the host's own.
rpm_native=$(uname -m)
pm_versions() {
  rpm -qa --qf '%{NAME} %{ARCH} %|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\n' | awk -v native="$rpm_native" '
    $1 != "gpg-pubkey" {
      sub(/^0:/, "", $3)
      print ($2 == native || $2 == "noarch" || $2 == "(none)") ? $1 : $1 "." $2, $3
    }'
}
# Packages whose scripts failed: rpm goes on with those, and says so.
rpm_failed_scripts() {
  sed -n -e 's/^ *\(warning\|error\): %[a-z]*(\([^)]*\)) scriptlet failed.*/\2/p' \
    -e 's/^Error in [A-Z]* scriptlet in rpm package \([^ ]*\).*/\1/p' \
    -e 's/^ *error: \([^ ]*\): \(install\|erase\) failed.*/\1/p' |
    sed -e 's/\.[a-z0-9_]*$//' -e 's/-[^-]*-[^-]*$//'
}
pm_broken() { rpm_failed_scripts | sed 's/^/failed /'; }
`;
