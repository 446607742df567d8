import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';
import { WATCH_REFRESH } from '../refresh.ts';
import type { Family } from '../shell-package-manager.ts';

/** `--no-network`: newer versions of apk fetch stale indexes automatically. */
export const APK_LISTING = String.raw`
apk_listing() {
  section packages-count 20 apk_count
  section apk-updates 1000000 apk_updates
  section apk-world 100000 cat /etc/apk/world
}
apk_count() { limit 20 apk info -q | grep -c .; }
apk_updates() { limit 30 apk --no-network version -l '<' 2>&1; }
`;

/** `busybox-1.36.1-r5                       < 1.36.1-r7`; a name may hold dashes, a version has one before its `r`. */
const UPDATE = /^(\S{1,200})-(\d[^-\s]{0,100}-r\d{1,9}) +< +(\S{1,200})/;

/**
 * `null` if apk has no indexes to compare with. It knows nothing of security. Held packages are those that
 * /etc/apk/world restricts to versions: `demo=1.0-r0`, `demo<2`, `demo~1.0`.
 */
export function readApkUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('apk-updates');
  if (!section || section.exitCode !== 0) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const pinned = pinnedPackages(sections);
  const updates = lines.flatMap((line) => {
    const [, name, from, to] = UPDATE.exec(line) ?? [];
    return listedUpdate({ name, from, to, held: name !== undefined && pinned.has(name) });
  });
  const withoutIndex = lines.some((line) =>
    /^(WARNING|ERROR): .*\b(APKINDEX|cache|index|opening)\b/i.test(line),
  );
  return updates.length === 0 && withoutIndex ? null : updates.slice(0, MAX_UPDATES);
}

function pinnedPackages(sections: Sections): ReadonlySet<string> {
  const words = Array.from(firstLines(sections.get('apk-world')?.text ?? '', MAX_UPDATES)).flatMap((line) =>
    line.split(/\s+/),
  );
  return new Set(words.flatMap((word) => /^([^\s<>=~@!]{1,200})[<>=~]/.exec(word)?.[1] ?? []));
}

/**
 * A plan is the output of `--simulate`, which takes no lock. apk removes unneeded packages with every operation, so
 * autoremove is not a separate step. `--cache-max-age` prevents it from fetching other indexes between a plan and its
 * application.
 */
const APK_SHELL = String.raw`
pm_conf_names='\.apk-new$'
pm_there() { command -v apk >/dev/null; }
# apk_upgrade does it.
pm_hold() { :; }
run_apk() { apk --no-progress --no-interactive "$@" </dev/null; }
apk --no-interactive --version >/dev/null 2>&1 </dev/null || run_apk() { apk --no-progress "$@" </dev/null; }
apk_upgrade() {
  if full_upgrade_asked; then set -- --available "$@"; fi
  if [ -n "$hold" ]; then set -- "$@" --ignore $hold; fi
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
