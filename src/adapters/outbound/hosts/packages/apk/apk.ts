import { WATCH_REFRESH } from '../refresh.ts';
import type { Family } from '../shell-package-manager.ts';
import { APK_LISTING, readApkUpdates } from './apk-listing.ts';

/**
 * A plan is what `--simulate` prints, which takes no lock. apk removes by itself what nothing needs any more with
 * whatever it does, so autoremove is no step of its own. `--cache-max-age` keeps it from fetching other indexes between a
 * plan and what is done by it.
 */
const APK_SHELL = String.raw`
pm_conf_names='\.apk-new$'
pm_there() { command -v apk >/dev/null; }
run_apk() { apk --no-progress --no-interactive "$@" </dev/null; }
apk --no-interactive --version >/dev/null 2>&1 </dev/null || run_apk() { apk --no-progress "$@" </dev/null; }
apk_upgrade() {
  if full_upgrade_asked; then set -- --available "$@"; fi
  run_apk upgrade --cache-max-age 525600 "$@"
}
pm_versions() { apk info -v 2>/dev/null </dev/null | sed -n 's/-\([0-9][^-]*-r[0-9]*\)$/ \1/p'; }
pm_plan_upgrade() {
  simulated=$(apk_upgrade --simulate 2>&1) || { printf '%s\n' "$simulated"; return 1; }
  printf '%s\n' "$simulated" | sed -n 's/^( *[0-9]*\/[0-9]*) //p' | tr -d '()' | awk '
    $1 == "Upgrading" || $1 == "Downgrading" { print "upgrade", $2, $3, $5, 0 }
    $1 == "Installing" { print "install", $2, "-", $3, 0 }
    $1 == "Purging" { print "remove", $2, $3, "-", 0 }'
}
pm_plan_autoremove() { :; }
pm_refresh() {
  sources=$(sed -n 's/^ *\(@[^ ]* *\)*\([^#@ ].*\)/\2/p' /etc/apk/repositories /etc/apk/repositories.d/*.list 2>/dev/null | grep -c .)
  {
    run_apk update 2>&1
    echo "ended $?"
  } | watch_refresh "$sources" "s/^\(WARNING\|ERROR\): [A-Za-z ]*\(https*:[^ ]*\|\/[^ ]*\): .*/\2/p"
}
pm_lock_words() { grep -E 'Unable to lock database' | head -n 1; }
pm_began() { grep -qE '^\( *[0-9]+/[0-9]+\) (Upgrading|Installing|Purging|Downgrading|Replacing)'; }
pm_upgrade() { apk_upgrade; }
pm_autoremove() { :; }
pm_room() { room /var/cache 0; room /usr 33554432; room /lib 0; }
pm_finish() { :; }
pm_broken() { sed -n 's/^ERROR: \([^ ]*\)-[0-9][^- ]*-r[0-9]*\(\.[a-z-]*\)*: .*/failed \1/p'; }
pm_audit() { pm_broken <"$run/log" | sed 's/^failed/audit/'; }
`;

/** Alpine Linux. */
export const APK: Family = {
  family: 'alpine',
  shell: `${WATCH_REFRESH}${APK_SHELL}`,
  listing: `${APK_LISTING}pm_listing() { apk_listing; }\n`,
  readUpdates: readApkUpdates,
  fault: /^(?:WARNING|ERROR): [A-Za-z ]*?(?<source>(?:https?:|\/)\S+): (?<reason>.*)$/,
  remedies: {
    tool: 'apk',
    lock: 'ps | grep apk',
    space: 'free some space (apk cache clean) and start again.',
    broken: 'Read the log of the job, and run "apk fix" on the host.',
    failed: 'Read the log of the job, and run "apk fix" and "apk upgrade" on the host.',
  },
};
