import type { PatchPlan } from '../../../../../application/ports/fleet/package-manager.ts';
import { MAX_UPDATES } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import { SECTIONS_PRELUDE, type Sections } from '../../shell/marked-sections.ts';
import { DOWNGRADE_SECTIONS } from '../patch/downgrade.ts';
import { PATCH_FRAME, PLAN_SHELL } from '../patch/frame.ts';
import { planWith } from '../patch/outcome.ts';
import { withoutPasswords } from '../refresh-outcome.ts';
import { APT_LISTING, aptPlanErrors, readAptListing } from './apt-listing.ts';
import { planRefusal } from './apt-refusals.ts';

/**
 * Shell that planning and patching share: `apt` is apt-get that asks nothing; `plan_of` reads a simulation and prints
 * `kind name from to security`, with "-" for no version and 1 for a version from a security suite.
 */
export const APT_SHELL = String.raw`
pm_there() { command -v apt-get >/dev/null; }
apt_pins=
# A version with a negative priority is never a candidate. The first record of a package counts, and the file comes
# before preferences.d.
pm_hold() {
  for each in $hold; do printf 'Package: %s\nPin: version *\nPin-Priority: -1\n\n' "$each"; done >"$1/preferences"
  if [ -f /etc/apt/preferences ]; then cat /etc/apt/preferences >>"$1/preferences"; fi
  apt_pins="-o Dir::Etc::Preferences=$1/preferences"
}
apt() {
  apt-get -q $apt_pins -o APT::Color=0 -o Dpkg::Use-Pty=0 -o Dpkg::Progress-Fancy=0 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
    -o APT::Get::Show-User-Simulation-Note=false "$@" </dev/null
}
# "apt upgrade" as it was asked for, or the downgrade, with options before it.
upgrade_by_apt() {
  if asked_for downgrade; then
    words=$(downgrade_words)
    [ -z "$words" ] || apt "$@" install --allow-downgrades --only-upgrade $words
  elif full_upgrade_asked; then apt "$@" full-upgrade; else apt "$@" upgrade --with-new-pkgs; fi
}
plan_of() {
  awk '
    /^Inst / {
      from = "-"; at = 3
      if (substr($3, 1, 1) == "[") { from = substr($3, 2, length($3) - 2); at = 4 }
      to = $at; gsub(/[()]/, "", to)
      origin = tolower(substr($0, index($0, "(")))
      print (from == "-" ? "install" : "upgrade"), $2, from, to, (origin ~ /security/ ? 1 : 0)
    }
    /^Remv / { print "remove", $2, substr($3, 2, length($3) - 2), "-", 0 }'
}
pm_plan_upgrade() {
  upgrading=$(upgrade_by_apt -s -o Debug::NoLocking=1 -o Dir::Log::Planner= 2>&1) || { printf '%s\n' "$upgrading"; return 1; }
  if ! asked_for downgrade; then
    printf '%s\n' "$upgrading" | plan_of
    return
  fi
  # apt-get refuses both, but not in a simulation.
  if printf '%s\n' "$upgrading" | grep -E '^(WARNING: The following essential|The following held packages will be changed)'; then
    echo 'E: It would remove essential packages, or change held ones.'
    return 1
  fi
  printf '%s\n' "$upgrading" | plan_of | while read -r kind name from to security; do
    if [ "$kind" = upgrade ] && dpkg --compare-versions "$to" lt "$from"; then kind=downgrade; fi
    printf '%s %s %s %s 0\n' "$kind" "$name" "$from" "$to"
  done
}
pm_versions() {
  native=$(dpkg --print-architecture)
  dpkg-query -W -f '${'$'}{db:Status-Status} ${'$'}{Package}:${'$'}{Architecture} ${'$'}{Version}\n' |
    awk -v native="$native" '$1 != "not-installed" && $1 != "config-files" {
      name = $2; sub(/:all$/, "", name); sub(":" native "$", "", name); print name, $3 }'
}
pm_held() { apt-mark showhold; }
# A version is in a source, or in a file that apt-get kept of an earlier download.
pm_offered() {
  native=$(dpkg --print-architecture)
  for each in "$@"; do
    if apt-cache show "$each" 2>/dev/null | grep -q .; then
      printf '%s %s\n' "$each" "$each"
      continue
    fi
    name=${'$'}{each%%=*} architecture=$native
    case $name in *:*) architecture=${'$'}{name#*:} ;; esac
    file=/var/cache/apt/archives/${'$'}{name%%:*}_$(printf %s "${'$'}{each#*=}" | sed 's/:/%3a/')
    for kept in "${'$'}{file}_$architecture.deb" "${'$'}{file}_all.deb"; do
      if [ -f "$kept" ]; then printf '%s %s\n' "$each" "$kept"; break; fi
    done
  done
}
pm_plan_autoremove() {
  removing=$(apt -s -o Debug::NoLocking=1 -o Dir::Log::Planner= autoremove 2>&1) || { printf '%s\n' "$removing"; return 1; }
  printf '%s\n' "$removing" | plan_of
}
`;

/**
 * The frame resets the umask, since packages' scripts create files; needrestart lists what it would restart and
 * restarts nothing. With a plan every upgrade is named with its version, so that apt fails rather than use another.
 * `--only-upgrade` keeps the marks of automatically installed packages.
 */
export const APT_PATCH = `export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical NEEDRESTART_MODE=l UCF_FORCE_CONFFOLD=1
export APT_LISTCHANGES_FRONTEND=none APT_LISTBUGS_FRONTEND=none
${PLAN_SHELL}${APT_SHELL}
${String.raw`
pm_conf_names='\.(dpkg-dist|dpkg-new|ucf-dist)$'
pm_broken() { sed -n 's/^dpkg: error processing \(package\|archive\) \([^ ]*\) .*/failed \2/p'; }
pm_audit() { dpkg --audit | sed -n 's/^ \([a-z0-9][^ ]*\) .*/audit \1/p'; }
pm_began() { grep -qE '^(Preparing to unpack|Unpacking|Setting up|Removing) '; }
pm_lock_words() { grep -E 'Could not get lock|Unable to lock|lock.* another process|database is locked' | head -n 1; }
pm_any_refreshed() {
  awk -F'[: ]' '/^(Hit|Get):/ { good[$2] = 1 } /^(Err|Ign):/ { delete good[$2] } END { for (n in good) exit 0; exit 1 }'
}
# Sizes by apt's own words.
pm_room() {
  download=$(upgrade_by_apt --print-uris -y -o Debug::NoLocking=1 2>/dev/null |
    awk '/^\047/ { sum += $3 } END { printf "%.0f", sum }')
  install=$(upgrade_by_apt -d --assume-no -o Debug::NoLocking=1 2>/dev/null |
    awk '/^After this operation, .* of additional disk space/ {
      size = $4; gsub(",", "", size); unit = substr($5, 1, 1)
      factor = unit == "k" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 1
      printf "%.0f", size * factor }')
  room /var/cache/apt/archives "$download"
  if same_disk /usr /var/cache/apt/archives; then
    room /usr $((download + ${'$'}{install:-0}))
  else
    room /usr "${'$'}{install:-0}"
  fi
  room /var/lib/dpkg 0
  if grep -qE '^(install|upgrade) (linux-image|initramfs-tools|dracut)' "$run/plan"; then
    kernel=$(find /boot -maxdepth 1 \( -name 'vmlinuz-*' -o -name 'initrd.img-*' \) -printf '%f %s\n' |
      awk '{ kind = substr($1, 1, 1); if ($2 > most[kind]) most[kind] = $2 } END { printf "%.0f", most["i"] + most["v"] }')
    room /boot "$kernel"
  fi
}
pm_finish() {
  [ -n "$(ls -A /var/lib/dpkg/updates 2>/dev/null)" ] || [ -n "$(dpkg --audit)" ] || return 0
  echo 'An earlier run of dpkg was cut off: finishing what it left.'
  patiently dpkg --force-confdef --force-confold --configure -a
}
pm_refresh() { apt update; }
# Named with their versions, and simulated so: nothing but the plan's may come of it.
pm_upgrade() {
  if asked_for downgrade; then
    # apt-get marks packages that are named as manually installed.
    apt-mark showauto >"$run/auto"
    upgrade_by_apt -y || return
    auto=$(printf '%s\n' "$sorted" | sed -n 's/^word \([^=]*\)=.*/\1/p' | grep -xF -f "$run/auto")
    [ -z "$auto" ] || apt-mark auto $auto >/dev/null
    return 0
  fi
  [ "$wanted" != - ] || { upgrade_by_apt -y; return; }
  set -- $(sed -n 's/^upgrade \([^ ]*\) [^ ]* \([^ ]*\) .*/\1=\2/p' "$run/upgrades")
  if full_upgrade_asked; then
    set -- install "$@" $(sed -n 's/^install \([^ ]*\) [^ ]* \([^ ]*\) .*/\1=\2/p; s/^remove \([^ ]*\) .*/\1-/p' "$run/upgrades")
  else
    set -- install --only-upgrade --no-remove "$@"
  fi
  apt -s -o Debug::NoLocking=1 "$@" >"$run/simulated" 2>&1
  plan_of <"$run/simulated" >"$run/again"
  if [ "$(sum_of "$run/again")" != "$(sum_of "$run/upgrades")" ]; then
    cat "$run/simulated"
    drifted
  fi
  auto=
  if full_upgrade_asked; then auto=$(sed -n 's/^install \([^ ]*\) .*/\1/p' "$run/upgrades"); fi
  apt -y "$@" || return
  [ -z "$auto" ] || apt-mark auto $auto >/dev/null
}
pm_autoremove() {
  [ "$wanted" != - ] || { apt -y autoremove; return; }
  set -- $(sed -n 's/^remove \([^ ]*\) .*/\1/p' "$run/removals")
  [ $# -gt 0 ] || return 0
  removals=$(apt -s -o Debug::NoLocking=1 remove "$@" 2>&1 | plan_of | cut -d' ' -f1,2 | sort)
  if [ "$removals" = "$(cut -d' ' -f1,2 "$run/removals" | sort)" ]; then
    apt -y remove "$@"
  else
    tell note 'Packages that nothing needs were left: removing them would now remove others too.'
  fi
}
`}${PATCH_FRAME}`;

/** "$1": the mark of the sections, "$2": the steps, "$3": names of packages to hold. */
export const PLAN = `${SECTIONS_PRELUDE}${APT_LISTING}${PLAN_SHELL}${APT_SHELL}
export DEBIAN_FRONTEND=noninteractive
steps=$2 hold=$3
apt_listing
hold_for_plan
section plan 2000000 simulate
exit 0
`;

/** "$1": the mark of the sections, "$2": the targets. */
export const APT_DOWNGRADE_PLAN = `${SECTIONS_PRELUDE}${PLAN_SHELL}${APT_SHELL}
export DEBIAN_FRONTEND=noninteractive
${DOWNGRADE_SECTIONS}`;

/** The sections of `PLAN`. Throws `host_command_failed` with apt's own words if it has no plan. */
export function aptPatchPlan(sections: Sections): PatchPlan {
  const listing = readAptListing(sections);
  const plan = sections.get('plan');
  if (!listing || plan?.exitCode !== 0) {
    throw planRefusal([...aptPlanErrors(sections), ...errorsIn(plan?.text ?? '')].map(withoutPasswords));
  }
  return { ...planWith(plan.text, listing.updates), notes: listing.notes };
}

const errorsIn = (text: string): string[] =>
  Array.from(firstLines(text, MAX_UPDATES)).flatMap((line) => (line.startsWith('E: ') ? line.slice(3) : []));
