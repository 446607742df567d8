import { GUARD_FUNCTIONS, RECOVER } from './guard.ts';

/** Exit codes of a patch; any other is a fault on the host. */
export const PATCH_EXIT = {
  done: 0,
  locked: 10,
  noSpace: 11,
  drifted: 12,
  listsFailed: 13,
  failed: 14,
  cancelled: 15,
  notSaved: 16,
  recovered: 17,
  noTool: 127,
} as const;

/**
 * Shared by planning and patching, for all package managers. A family provides these functions (POSIX sh, tried with
 * dash, bash and busybox); a plan's lines are `KIND NAME FROM TO SECURITY`, "-" for no version, 1 for a security fix:
 *
 * - `pm_there`: whether the package manager is installed
 * - `pm_plan_upgrade`, `pm_plan_autoremove`: print the lines of the changes with the current lists, or the reason
 * why that fails, with a non-zero code
 * - `pm_hold`: keeps the packages `$hold` as they are in the functions above and in `pm_upgrade`; its files go to the
 * directory "$1"
 * `full_upgrade_asked` tells them whether the upgrade may also remove packages, or downgrade.
 *
 * With the step "downgrade", `$targets` are words `NAME=VERSION`, in the place of the packages to hold, and `pm_plan_upgrade`
 * and `pm_upgrade` install the words of `downgrade_words` instead. A family that can do that also provides:
 *
 * - `pm_versions`: `NAME VERSION` of all installed packages
 * - `pm_held`: names of packages that are held on the host
 * - `pm_offered`: of the targets given as its arguments, `TARGET WORD` for those that can be installed, by the package manager's word
 */
export const PLAN_SHELL = String.raw`
asked_for() { case " $steps " in *" $1 "*) return 0 ;; esac; return 1; }
full_upgrade_asked() { asked_for full_upgrade; }
upgrade_asked() { asked_for upgrade || asked_for full_upgrade || asked_for downgrade; }
held_list() { printf '%s' "$hold" | tr ' ' ','; }
# For a plan without a run: files of a hold are removed with the shell.
hold_for_plan() {
  [ -n "$hold" ] || return 0
  held_dir=$(mktemp -d /tmp/drover-hold.XXXXXX) || return 1
  trap 'rm -rf "$held_dir"' EXIT
  pm_hold "$held_dir"
}
# Lines word TARGET WORD of targets that can be installed; absent, already, held or gone TARGET of others.
sort_targets() {
  asked_for downgrade || return 0
  sorted=$({
    pm_held | sed 's/^/held /'
    pm_versions | sed 's/^/installed /'
    pm_offered $targets | sed 's/^/offered /'
    printf 'target %s\n' $targets
  } | awk '
    $1 == "held" { held[$2] = 1 }
    $1 == "installed" { version[$2] = $3 }
    $1 == "offered" { word[$2] = $3 }
    $1 == "target" && split($2, part, "=") == 2 {
      if (!(part[1] in version)) print "absent", $2
      else if (version[part[1]] == part[2]) print "already", $2
      else if (part[1] in held) print "held", $2
      else if ($2 in word) print "word", $2, word[$2]
      else print "gone", $2
    }')
}
downgrade_words() { printf '%s\n' "$sorted" | sed -n 's/^word [^ ]* //p'; }
# What the steps would do now.
simulate() {
  sort_targets
  if upgrade_asked; then pm_plan_upgrade || return 1; fi
  if asked_for autoremove; then pm_plan_autoremove || return 1; fi
}
`;

/**
 * Runs the steps "$1" (names separated by blanks) in this order: update, upgrade or full_upgrade, autoremove. "$2":
 * how many seconds another program may hold a lock; "$3": the SHA-256 of the plan's lines (`changeLine`, sorted, each
 * with its newline), or "-" for no plan; "$4": names of packages to hold, separated by blanks; then what `guard_notes`
 * takes. With the step "recover" it only does what `RECOVER` says, after the run "$5". Writes lines to the result file: `changed KIND NAME FROM TO SECURITY`,
 * `failed NAME` (it could not be processed), `audit NAME` (it is not finished), `lock WORDS`, `space DIRECTORY NEEDED
 * FREE`, `full WORDS`, `plan KIND NAME FROM TO SECURITY` (the current changes), `config FILE`, `note WORDS`.
 * With a plan the lists stay as they are. In addition to those of `PLAN_SHELL` a family provides:
 *
 * - `pm_versions`: as above
 * - `pm_refresh`, and `pm_any_refreshed`, which reads its output and returns whether at least one list is new
 * - `pm_upgrade`, `pm_autoremove`: apply; the plan's lines are in `$run/upgrades` and `$run/removals`, `$wanted` is "-"
 * without a binding plan
 * - `pm_finish`: completes an interrupted earlier run; `pm_audit`: `audit NAME` of unfinished packages
 * - `pm_broken`: reads the log and prints `failed NAME`
 * - `pm_room`: requests `room DIRECTORY BYTES` for the upgrade
 * - `pm_lock_words`, `pm_began`: the first line on standard input about a lock; whether a transaction has started
 * - `pm_conf_names`: names of new versions of changed configuration files, as a grep -E pattern
 */
export const PATCH_FRAME = `exec </dev/null 2>&1
umask 022
cd /
export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" TERM=dumb
steps=$1 lock_seconds=$2 wanted=$3 hold=$4 targets= doing=Upgrading
set -f
if asked_for downgrade; then targets=$hold hold= doing=Downgrading; fi
run=$DROVER_RUN
shift 4
pm_there || exit ${PATCH_EXIT.noTool}
for file in told plan upgrades removals; do : >"$run/$file"; done
tell() { printf '%s\\n' "$*" >>"$run/told"; }
${GUARD_FUNCTIONS}${RECOVER}${String.raw`
# Of a name with several versions, as kernels have, each that comes or goes is told by itself.
tell_changes() {
  pm_versions >"$run/after"
  awk 'FILENAME == ARGV[1] { kind[$2] = $1; security[$2] = $5; next }
    FILENAME == ARGV[2] { was[$1 " " $2] = 1; before[$1]++; old[$1] = $2; next }
    { is[$1 " " $2] = 1; after[$1]++ }
    END {
      for (each in is) {
        if (each in was) continue
        split(each, part, " ")
        name = part[1]
        single = before[name] == 1 && after[name] == 1
        print "changed", (!single ? "install" : kind[name] == "downgrade" ? "downgrade" : "upgrade"), name, (single ? old[name] : "-"), part[2], security[name] + 0
      }
      for (each in was) {
        if (each in is) continue
        split(each, part, " ")
        if (before[part[1]] != 1 || after[part[1]] != 1) print "changed remove", part[1], part[2], "-", 0
      }
    }' "$run/plan" "$run/before" "$run/after" >>"$run/told"
}
conf_files() { find /etc -xdev -type f 2>/dev/null | grep -E "$pm_conf_names" | sort | head -n 1000; }
guarded=
since() { tail -c +$(($1 + 1)) "$run/log"; }
end() {
  tell_changes
  pm_broken <"$run/log" | sort -u | head -n 50 >>"$run/told"
  pm_audit | sort -u | head -n 50 >>"$run/told"
  conf_files | grep -vxF -f "$run/conf" | head -n 50 | sed 's/^/config /' >>"$run/told"
  [ -z "$guarded" ] || guard_end "$1"
  mv "$run/told" "$run/result"
  exit "$1"
}
# Somebody wants it to end, and nothing is upgraded yet.
upgraded=
stop_if_asked() {
  if [ -z "$upgraded" ] && [ -e "$run/stop" ]; then end 15; fi
}
# Runs a command, again for as long as another program holds a lock that it wants.
waited=0
patiently() {
  while :; do
    stop_if_asked
    start=$(($(wc -c <"$run/log")))
    "$@" && return 0
    code=$?
    since "$start" | pm_began && return "$code"
    holder=$(since "$start" | pm_lock_words)
    [ -n "$holder" ] || return "$code"
    if [ "$waited" -ge "$lock_seconds" ]; then tell lock "$holder"; end 10; fi
    [ "$waited" -gt 0 ] || echo 'Another program holds a lock of the package manager; waiting for it.'
    sleep 2
    waited=$((waited + 2))
  done
}
free_bytes() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { printf "%.0f", $4 * 1024 }'; }
# 16 MiB are left free everywhere.
margin=16777216 short=
room() {
  free=$(free_bytes "$1")
  [ -n "$free" ] || return 0
  [ "$free" -ge "$(($2 + margin))" ] || { tell space "$1" "$(($2 + margin))" "$free"; short=1; }
}
same_disk() { [ "$(df -P "$1" | tail -n 1 | cut -d' ' -f1)" = "$(df -P "$2" | tail -n 1 | cut -d' ' -f1)" ]; }
# The package managers' own words where their transaction finds too little room before it begins.
out_of_room() {
  since "$start" | pm_began && return 1
  full=$(since "$start" | grep -iE 'more space needed|needs .* on the .* filesystem|too full|not enough (free )?(disk )?space|No space left on device' | head -n 1)
  [ -n "$full" ] && tell full "$full"
}
did_fail() { if out_of_room; then end 11; fi; end 14; }
sum_of() { cut -d' ' -f1-4 "$1" | sort | sha256sum | cut -d' ' -f1; }
drifted() {
  sed 's/^/plan /' "$run/plan" >>"$run/told"
  end 12
}
make_plan() {
  sort_targets
  { ! upgrade_asked || pm_plan_upgrade >"$run/upgrades"; } || { cat "$run/upgrades"; return 1; }
  { ! asked_for autoremove || pm_plan_autoremove >"$run/removals"; } || { cat "$run/removals"; return 1; }
  sort "$run/upgrades" "$run/removals" >"$run/plan"
}

if asked_for recover; then recover "$1"; fi
guard_notes "$@"
if [ -n "$hold" ]; then pm_hold "$run"; fi
pm_versions >"$run/before"
conf_files >"$run/conf"
if is_guarded; then
  guard_begin
  guarded=1
fi
start=$(($(wc -c <"$run/log")))
pm_finish
if asked_for update && [ "$wanted" = - ]; then
  echo 'Refreshing the package lists.'
  if ! patiently pm_refresh; then
    since "$start" | pm_any_refreshed || end 13
    tell note 'Not all package lists could be refreshed; the log says which.'
  fi
fi
if ! patiently make_plan; then
  : >"$run/plan"
  end 14
fi
if [ "$wanted" != - ] && [ "$(sum_of "$run/plan")" != "$wanted" ]; then drifted; fi
if [ -s "$run/upgrades" ]; then
  pm_room
  [ -z "$short" ] || end 11
  echo "$doing packages."
  patiently pm_upgrade || did_fail
  upgraded=1
fi
if asked_for autoremove; then
  echo 'Removing packages that are no longer needed.'
  patiently pm_autoremove || did_fail
fi
[ -z "$(pm_audit)" ] || end 14
end 0
`}`;
