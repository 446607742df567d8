/** What the package managers above rpm share: see `PATCH_FRAME`. */
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
