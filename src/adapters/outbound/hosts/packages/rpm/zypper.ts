import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';
import { WATCH_REFRESH } from '../refresh.ts';
import type { Family } from '../shell-package-manager.ts';
import { RPM_LISTING, RPM_SHELL } from './rpm-packages.ts';

/** Some sources could not be used, see zypper(8). */
const SOURCES_LEFT_OUT = 106;

/** `--all`: includes locked ones. */
export const ZYPPER_LISTING = String.raw`
zypper_listing() {
  set -- /var/cache/zypp/raw/*/repodata/repomd.xml
  [ -e "$1" ] || return
  section zypper-updates 1000000 limit 60 zypper --non-interactive --no-refresh -q list-updates --all
}
`;

/**
 * `v | updates | demo-lib | 1:2.4.1-3 | 1:2.4.1-4 | x86_64`, with `vl` for a locked one. Its patches mark security
 * fixes, but not per package. `null` if no repository was ever refreshed.
 */
export function readZypperUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('zypper-updates');
  if (!section || (section.exitCode !== 0 && section.exitCode !== SOURCES_LEFT_OUT)) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const updates = lines.flatMap((line) => {
    const [status, origin, name, from, to, arch] = line.split('|', 7).map((cell) => cell.trim());
    if (arch === undefined || (status !== 'v' && status !== 'vl')) return [];
    return listedUpdate({ name, from, to, origin, held: status === 'vl' });
  });
  return updates.slice(0, MAX_UPDATES);
}

/**
 * A plan is parsed from zypper's XML, one `solvable` a line. Tumbleweed is only ever upgraded with `dup`, as its
 * maintainers require. Of zypper's codes 100 to 103 mean required actions (103: zypper itself was upgraded, run it
 * once more), 106 skipped sources, 107 failed scripts, see zypper(8). There is no step like autoremove.
 */
const ZYPPER_SHELL = String.raw`
pm_there() { command -v zypper >/dev/null && command -v rpm >/dev/null; }
# Locks beside the host's own, in a copy of zypp's settings.
pm_hold() {
  cat /etc/zypp/locks 2>/dev/null >"$1/locks"
  for each in $hold; do
    name=$(printf '%s' "$each" | sed 's/\.\(i[3-6]86\|x86_64\|aarch64\|armv[67]hl\|ppc64le\|s390x\)$//')
    printf '\ntype: package\nmatch_type: exact\ncase_sensitive: on\nsolvable_name: %s\n' "$name"
  done >>"$1/locks"
  for conf in /etc/zypp/zypp.conf /usr/etc/zypp/zypp.conf; do [ -f "$conf" ] && break; done
  { grep -v '^ *locksfile\.path' "$conf" 2>/dev/null || echo '[main]'; echo "locksfile.path = $1/locks"; } >"$1/zypp.conf"
  export ZYPP_CONF="$1/zypp.conf"
}
zypp() { ZYPP_LOCK_TIMEOUT=2 zypper --non-interactive --no-color --no-refresh "$@" </dev/null; }
zypper_verb() {
  if full_upgrade_asked || grep -qsx 'ID="*opensuse-tumbleweed"*' /etc/os-release; then
    echo dist-upgrade --no-allow-vendor-change
  else
    echo update
  fi
}
zypper_xml() {
  xml=$(zypp --xmlout $(zypper_verb) --auto-agree-with-licenses --dry-run 2>&1)
  code=$?
  case $code in 0 | 10[0-36]) ;; *) printf '%s\n' "$xml" | sed 's/<[^>]*>//g' | grep .; return 1 ;; esac
}
pm_plan_upgrade() {
  zypper_xml || return
  printf '%s\n' "$xml" | awk -v native="$rpm_native" '
    function value(key, at, rest) {
      at = index($0, " " key "=\"")
      if (!at) return ""
      rest = substr($0, at + length(key) + 3)
      return substr(rest, 1, index(rest, "\"") - 1)
    }
    /^<to-/ { kind = /^<to-(upgrade|downgrade|change)/ ? "upgrade" : /^<to-install/ ? "install" : /^<to-remove/ ? "remove" : "" }
    /^<\/to-/ { kind = "" }
    /^<solvable type="package"/ && kind != "" {
      name = value("name")
      arch = value("arch")
      if (arch != native && arch != "noarch") name = name "." arch
      edition = value("edition")
      old = value("edition-old")
      if (kind == "upgrade" && old == edition) next
      if (kind == "upgrade") print kind, name, (old == "" ? "-" : old), edition, 0
      else if (kind == "install") print kind, name, "-", edition, 0
      else print kind, name, edition, "-", 0
    }'
}
pm_plan_autoremove() { :; }
pm_refresh() {
  sources=$(zypp -q --xmlout repos --refresh-enabled 2>/dev/null | grep -c '<repo .*enabled="1"')
  [ "$sources" -gt 0 ] || sources=$(zypp -q --xmlout repos 2>/dev/null | grep -c '<repo .*enabled="1"')
  {
    ZYPP_LOCK_TIMEOUT=2 zypper --non-interactive --no-color refresh </dev/null 2>&1
    echo "ended $?"
  } | watch_refresh "$sources" "s/^\(Warning: \)*Skipping repository '\([^']*\)' because of the above error.*/\2/p"
}
pm_lock_words() { grep -E 'System management is locked' | head -n 1; }
pm_began() { grep -qE '^\( *[0-9]+/[0-9]+\) (Installing|Removing)'; }
pm_upgrade() {
  zypp $(zypper_verb) --auto-agree-with-licenses
  code=$?
  if [ "$code" = 103 ] && [ "$wanted" != - ]; then
    tell note 'zypper itself was upgraded; what else waits is for another job, since a plan was to be done and nothing more.'
  elif [ "$code" = 103 ]; then
    echo 'zypper itself was upgraded: it goes on with the rest.'
    zypp $(zypper_verb) --auto-agree-with-licenses
    code=$?
  fi
  case $code in 0 | 10[0-36]) return 0 ;; esac
  return "$code"
}
pm_autoremove() { tell note 'zypper has no step like autoremove; nothing was removed.'; }
pm_room() {
  zypper_xml || return 0
  download=$(printf '%s\n' "$xml" | sed -n 's/^<install-summary.* download-size="\([0-9]*\)".*/\1/p')
  grown=$(printf '%s\n' "$xml" | sed -n 's/^<install-summary.* space-usage-diff="\([0-9]*\)".*/\1/p')
  room /var/cache "${'$'}{download:-0}"
  if same_disk /usr /var/cache; then room /usr $((${'$'}{download:-0} + ${'$'}{grown:-0})); else room /usr "${'$'}{grown:-0}"; fi
  room /var/lib 0
}
pm_finish() { :; }
pm_audit() { rpm_failed_scripts <"$run/log" | sed 's/^/audit /'; }
pm_listing() {
  rpm_listing
  zypper_listing
}
`;

/** SUSE and openSUSE. */
export const ZYPPER: Family = {
  family: 'suse',
  shell: `${WATCH_REFRESH}${RPM_SHELL}${ZYPPER_SHELL}`,
  listing: `${RPM_LISTING}${ZYPPER_LISTING}`,
  readUpdates: readZypperUpdates,
  fault: /^(?:Warning: )?Skipping repository '(?<source>[^']+)' because of the above error/,
  remedies: {
    tool: 'zypper',
    lock: 'ps -e | grep -E "zypper|packagekitd"',
    space: 'free some space (zypper clean, old kernels) and start again.',
    broken:
      'Read the log of the job and fix the package on the host; "zypper verify" there shows what is left, and "zypper install --force" runs a failed script again.',
    failed: 'Read the log of the job, and run "zypper verify" and "zypper update" on the host.',
  },
};
