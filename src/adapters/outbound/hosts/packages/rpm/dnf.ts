import { firstLines } from '../../shell/host-lines.ts';
import { plainText } from '../../shell/host-text.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { WATCH_REFRESH } from '../refresh.ts';
import type { Family } from '../shell-package-manager.ts';
import { DNF_LISTING, readDnfUpdates } from './dnf-listing.ts';
import { RPM_LISTING, RPM_SHELL } from './rpm-packages.ts';

/**
 * dnf5, dnf (4) or yum, whichever is installed. A plan is parsed from the table that `--assumeno` prints: a section's
 * heading ends with a colon, a row starts with one blank, continuation lines start with more. Metadata is as old as
 * the last refresh: `metadata_expire` prevents dnf from fetching newer metadata between a plan and its application,
 * so that the result is the same. Naming the upgrades would omit what they replace and bring in. dnf (4) and yum must
 * not wait for a lock, since they would wait forever.
 */
const DNF_SHELL = String.raw`
dnf_skip='--setopt=*.skip_if_unavailable=1'
dnf=
for each in dnf5 dnf yum; do
  if command -v "$each" >/dev/null 2>&1; then dnf=$each; break; fi
done
pm_there() { [ -n "$dnf" ] && command -v rpm >/dev/null; }
dnf_hold=
# Without --nobest a held package would fail what else needs a newer one, instead of leaving it.
pm_hold() { dnf_hold="--exclude=$(held_list) --setopt=best=False"; }
run_dnf() {
  if [ "$dnf" = dnf ]; then
    dnf --color=never --setopt=exit_on_lock=True "$dnf_skip" '--setopt=*.metadata_expire=never' $dnf_hold "$@"
  elif [ "$dnf" = yum ]; then
    yum --setopt=exit_on_lock=True "$dnf_skip" '--setopt=*.metadata_expire=never' $dnf_hold "$@"
  else
    dnf5 "$dnf_skip" '--setopt=*.metadata_expire=never' $dnf_hold "$@"
  fi </dev/null
}
dnf_verb() {
  if asked_for downgrade; then echo "downgrade --allowerasing" $(downgrade_words); return; fi
  if ! full_upgrade_asked; then echo upgrade; elif [ "$dnf" = yum ]; then echo distribution-synchronization; else echo distro-sync; fi
}
# What a transaction would be, as its table says; a code that is not 0 and its words where there is none.
dnf_table() {
  table=$(run_dnf -C --assumeno "$@" 2>&1)
  printf '%s\n' "$table" | grep -qE '^(Operation aborted|Exiting on user|Nothing to do|No packages marked|No Packages marked|No unneeded packages)' ||
    { printf '%s\n' "$table"; return 1; }
  lower=upgrade
  if asked_for downgrade; then lower=downgrade; fi
  advised=$(if [ "$dnf" = yum ]; then yum -C -q updateinfo list security; else "$dnf" -C -q updateinfo list --security; fi 2>/dev/null </dev/null)
  { printf '%s\n' "$advised"; echo '== installed'; pm_versions; echo '== table'; printf '%s\n' "$table"; } | awk -v native="$rpm_native" -v lower="$lower" '
    function row(line, field, n, name, to) {
      n = split(line, field, " ")
      if (n < 4 || kind == "") return
      name = field[1]
      if (field[2] != native && field[2] != "noarch") name = name "." field[2]
      to = field[3]
      sub(/^0:/, "", to)
      if (kind == "remove") { print "remove", name, to, "-", 0; return }
      plain = to
      sub(/^[0-9]+:/, "", plain)
      fix = (field[1] "-" plain "." field[2]) in advised
      if (kind == "downgrade" && name in installed) print kind, name, installed[name], to, 0
      else if (kind == "upgrade" && name in installed) print kind, name, installed[name], to, fix
      else print "install", name, "-", to, fix
    }
    /^== / { part = $2; next }
    part == "" {
      for (i = 1; i <= NF; i++) if ($i ~ /-.*-.*\./) { word = $i; sub(/-[0-9]+:/, "-", word); advised[word] = 1 }
      next
    }
    part == "installed" { installed[$1] = $2; next }
    /^Transaction Summary/ { exit }
    /^[A-Z].*:$/ {
      if (line != "") row(line)
      line = ""
      kind = /^Skipping/ ? "" : /^Downgrading/ ? lower : /^(Upgrading|Updating)/ ? "upgrade" : /^Removing/ ? "remove" : /^Installing/ ? "install" : ""
      next
    }
    # dnf5 says so of every upgrade, dnf and yum only where another package goes; both only that in the end.
    /^ +replacing / {
      split(line, current, " ")
      gone = $2
      arch = $3
      version = $4
      if (NF == 3) {
        version = $3
        arch = $2
        sub(/^.*\./, "", arch)
        sub(/\.[^.]*$/, "", gone)
      }
      if (gone == current[1]) next
      if (arch != native && arch != "noarch") gone = gone "." arch
      sub(/^0:/, "", version)
      print "remove", gone, version, "-", 0
      next
    }
    /^ [^ ]/ { if (line != "") row(line); line = $0; next }
    /^  +[^ ]/ { if (line != "") line = line " " $0; next }
    { if (line != "") row(line); line = "" }
    END { if (line != "") row(line) }'
}
pm_plan_upgrade() {
  if asked_for downgrade; then
    [ "$dnf" != yum ] || { echo 'Error: Drover does not downgrade packages with yum.'; return 1; }
    [ -n "$(downgrade_words)" ] || return 0
  fi
  dnf_table $(dnf_verb)
}
# Of dnf and dnf5; a line that starts with "!" excludes versions, and holds nothing.
pm_held() {
  sed -n -e 's/^\([^#! ].*\)-[^-]*-[^-]*$/\1/p' /etc/dnf/plugins/versionlock.list 2>/dev/null
  sed -n 's/^name *= *"\([^"]*\)".*/\1/p' /etc/dnf/versionlock.toml 2>/dev/null
}
# Available packages are printed as NAME-EPOCH:VERSION-RELEASE.ARCH.
pm_offered() {
  [ $# -gt 0 ] && [ "$dnf" != yum ] || return 0
  run_dnf -C -q repoquery $(printf '%s\n' "$@" | sed 's/=.*//') 2>/dev/null | awk -v native="$rpm_native" '
    match($1, /-[^-]*-[^-]*\.[^.-]*$/) {
      name = substr($1, 1, RSTART - 1)
      version = substr($1, RSTART + 1)
      arch = version
      sub(/.*\./, "", arch)
      sub(/\.[^.]*$/, "", version)
      sub(/^0:/, "", version)
      if (arch != native && arch != "noarch") name = name "." arch
      print name "=" version, $1
    }'
}
pm_plan_autoremove() { dnf_table autoremove; }
pm_refresh() {
  sources=$("$dnf" -q repolist </dev/null 2>/dev/null | grep -vc '^repo id')
  {
    if [ "$dnf" = yum ]; then
      yum --setopt=exit_on_lock=True "$dnf_skip" makecache fast
    elif [ "$dnf" = dnf5 ]; then
      dnf5 --refresh "$dnf_skip" '--setopt=*.timeout=30' makecache
    else
      dnf --color=never --setopt=exit_on_lock=True --refresh \
        "$dnf_skip" '--setopt=*.timeout=30' '--setopt=*.retries=2' makecache
    fi </dev/null 2>&1
    echo "ended $?"
  } | watch_refresh "$sources" "s/^Error: Failed to download metadata for repo '\([^']*\)'.*/\1/p; s/^ \([^ ].*[^ ]\)  *???% .*/\1/p"
}
pm_lock_words() { grep -E 'already locked by|Another app is currently holding|Failed to obtain .*lock|Waiting for process with pid|Existing lock .*: another copy is running' | head -n 1; }
pm_began() { grep -qE '^Running transaction$|^\[ *[0-9]+/[0-9]+\] (Upgrading|Downgrading|Installing|Removing) '; }
pm_upgrade() { run_dnf -y $(dnf_verb); }
pm_autoremove() {
  [ "$wanted" != - ] || { run_dnf -y autoremove; return; }
  set -- $(awk '$1 == "remove" { print $2 }' "$run/removals")
  [ $# -gt 0 ] || return 0
  run_dnf -y --setopt=clean_requirements_on_remove=False remove "$@"
}
# rpm looks for room itself, before it changes anything; what is fetched goes below /var/cache.
pm_room() { room /var/cache 0; room /usr 0; room /var/lib 0; }
pm_finish() { :; }
pm_audit() {
  rpm_failed_scripts <"$run/log" | sed 's/^/audit /'
  run_dnf -C -q check --duplicates 2>/dev/null | sed -n 's/^\([^ ]*\) is a duplicate with .*/\1/p' | sed -e 's/-[^-]*-[^-]*$//' -e 's/^/audit /'
}
pm_listing() {
  rpm_listing
  dnf_listing "$dnf"
}
`;

/** Fedora and its relatives: dnf5, dnf or yum. */
export const DNF: Family = {
  family: 'fedora',
  shell: `${WATCH_REFRESH}${RPM_SHELL}${DNF_SHELL}`,
  listing: `${RPM_LISTING}${DNF_LISTING}`,
  canDowngrade: true,
  readUpdates: readDnfUpdates,
  readNotes: lockedNote,
  // dnf5 prints its table of downloads, with ???% for failed ones
  fault:
    /^(?:Error: Failed to download metadata for repo '| ?)(?<source>[^'\s?]+(?: [^'\s?]+)*)(?:'(?:: (?<reason>.*))?$|\s+\?{3}% )/,
  remedies: {
    tool: 'dnf',
    lock: 'ps -e | grep -E "dnf|yum|packagekitd"',
    space: 'free some space (dnf clean packages, old kernels) and start again.',
    broken:
      'Read the log of the job and fix the package on the host; "dnf check" there shows what is left, and "dnf reinstall" runs a failed script again.',
    failed: 'Read the log of the job, and run "dnf check" and "dnf upgrade" on the host.',
  },
};

/** dnf5 does not list versionlocked updates: only the names are known. */
function lockedNote(sections: Sections): readonly string[] {
  const names = Array.from(firstLines(sections.get('dnf5-locked')?.text ?? '', 20)).flatMap(
    (line) => plainText(line, 80) ?? [],
  );
  return names.length > 0 ? [`dnf keeps these at their version (versionlock): ${names.join(', ')}.`] : [];
}
