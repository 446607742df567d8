import { APT_SHELL } from './apt-shell.ts';

/** What the exit codes of `APT_PATCH` mean; any other is a fault on the host. */
export const PATCH_EXIT = {
  done: 0,
  locked: 10,
  noSpace: 11,
  drifted: 12,
  listsFailed: 13,
  failed: 14,
  noApt: 127,
} as const;

/**
 * Takes the steps "$1" (names with blanks between) in this order: update, upgrade, autoremove. "$2": how many seconds
 * another program may hold a lock; "$3": the SHA-256 of the plan's lines (`changeLine`, sorted, each with its newline), or
 * "-" for no plan. Leaves lines in the result file: `changed KIND NAME FROM TO SECURITY`, `failed NAME` (dpkg could not
 * process it), `audit NAME` (dpkg has not finished it), `lock WORDS`, `space DIRECTORY NEEDED FREE`, `plan KIND NAME FROM
 * TO SECURITY` (what would be done now), `note WORDS`.
 *
 * The umask is set anew, since packages' scripts make files; needrestart lists what it would restart and restarts
 * nothing. With a plan the lists stay as they are, and every upgrade is named with its version, so that apt fails sooner
 * than it takes another. `--only-upgrade` keeps the marks of packages that came in as dependencies.
 */
export const APT_PATCH = `exec </dev/null 2>&1
umask 022
cd /
export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" TERM=dumb
export DEBIAN_FRONTEND=noninteractive DEBIAN_PRIORITY=critical NEEDRESTART_MODE=l UCF_FORCE_CONFFOLD=1
export APT_LISTCHANGES_FRONTEND=none APT_LISTBUGS_FRONTEND=none
steps=$1 lock_seconds=$2 wanted=$3
set -f
run=$DROVER_RUN
command -v apt-get >/dev/null || exit ${PATCH_EXIT.noApt}
: >"$run/told"
: >"$run/plan"
tell() { printf '%s\\n' "$*" >>"$run/told"; }
${APT_SHELL}
${String.raw`
versions() {
  native=$(dpkg --print-architecture)
  dpkg-query -W -f '${'$'}{db:Status-Status} ${'$'}{Package}:${'$'}{Architecture} ${'$'}{Version}\n' |
    awk -v native="$native" '$1 != "not-installed" && $1 != "config-files" {
      name = $2; sub(/:all$/, "", name); sub(":" native "$", "", name); print name, $3 }'
}
tell_changes() {
  versions >"$run/after"
  awk 'FILENAME == ARGV[1] { security[$2] = $5; next }
    FILENAME == ARGV[2] { was[$1] = $2; next }
    { is[$1] = $2 }
    END {
      for (name in is) {
        if (!(name in was)) print "changed install", name, "-", is[name], security[name] + 0
        else if (was[name] != is[name]) print "changed upgrade", name, was[name], is[name], security[name] + 0
      }
      for (name in was) if (!(name in is)) print "changed remove", name, was[name], "-", 0
    }' "$run/plan" "$run/before" "$run/after" >>"$run/told"
}
since() { tail -c +$(($1 + 1)) "$run/log"; }
end() {
  tell_changes
  sed -n 's/^dpkg: error processing \(package\|archive\) \([^ ]*\) .*/failed \2/p' "$run/log" | sort -u | head -n 50 >>"$run/told"
  dpkg --audit | sed -n 's/^ \([a-z0-9][^ ]*\) .*/audit \1/p' | sort -u | head -n 50 >>"$run/told"
  mv "$run/told" "$run/result"
  exit "$1"
}
# Runs a command, again for as long as another program holds a lock that it wants.
waited=0
patiently() {
  while :; do
    start=$(($(wc -c <"$run/log")))
    "$@" && return 0
    code=$?
    since "$start" | grep -qE '^(Preparing to unpack|Unpacking|Setting up|Removing) ' && return "$code"
    holder=$(since "$start" | grep -E 'Could not get lock|Unable to lock|lock.* another process|database is locked' | head -n 1)
    [ -n "$holder" ] || return "$code"
    if [ "$waited" -ge "$lock_seconds" ]; then tell lock "$holder"; end 10; fi
    [ "$waited" -gt 0 ] || echo 'Another program holds a lock of the package manager; waiting for it.'
    sleep 2
    waited=$((waited + 2))
  done
}
any_refreshed() {
  awk -F'[: ]' '/^(Hit|Get):/ { good[$2] = 1 } /^(Err|Ign):/ { delete good[$2] } END { for (n in good) exit 0; exit 1 }'
}
free_bytes() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 { printf "%.0f", $4 * 1024 }'; }
room() {
  free=$(free_bytes "$1")
  [ -n "$free" ] || return 0
  [ "$free" -ge "$2" ] || { tell space "$1" "$2" "$free"; short=1; }
}
# Sizes by apt's own words; 16 MiB are left free everywhere.
check_room() {
  download=$(apt --print-uris -y -o Debug::NoLocking=1 upgrade --with-new-pkgs 2>/dev/null |
    awk '/^\047/ { sum += $3 } END { printf "%.0f", sum }')
  install=$(apt -d --assume-no -o Debug::NoLocking=1 upgrade --with-new-pkgs 2>/dev/null |
    awk '/^After this operation, .* of additional disk space/ {
      size = $4; gsub(",", "", size); unit = substr($5, 1, 1)
      factor = unit == "k" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 1
      printf "%.0f", size * factor }')
  margin=16777216 short=
  room /var/cache/apt/archives $((download + margin))
  if [ "$(df -P /usr | tail -n 1 | cut -d' ' -f1)" = "$(df -P /var/cache/apt/archives | tail -n 1 | cut -d' ' -f1)" ]; then
    room /usr $((download + ${'$'}{install:-0} + margin))
  else
    room /usr $((${'$'}{install:-0} + margin))
  fi
  room /var/lib/dpkg $margin
  if grep -qE '^(install|upgrade) (linux-image|initramfs-tools|dracut)' "$run/plan"; then
    kernel=$(find /boot -maxdepth 1 \( -name 'vmlinuz-*' -o -name 'initrd.img-*' \) -printf '%f %s\n' |
      awk '{ kind = substr($1, 1, 1); if ($2 > most[kind]) most[kind] = $2 } END { printf "%.0f", most["i"] + most["v"] }')
    room /boot $((kernel + margin))
  fi
  [ -z "$short" ] || end 11
}
sum_of() { cut -d' ' -f1-4 "$1" | sort | sha256sum | cut -d' ' -f1; }
drifted() {
  sed 's/^/plan /' "$run/plan" >>"$run/told"
  end 12
}

versions >"$run/before"
if [ -n "$(ls -A /var/lib/dpkg/updates 2>/dev/null)" ] || [ -n "$(dpkg --audit)" ]; then
  echo 'An earlier run of dpkg was cut off: finishing what it left.'
  patiently dpkg --force-confdef --force-confold --configure -a
fi
if asked_for update && [ "$wanted" = - ]; then
  echo 'Refreshing the package lists.'
  if ! patiently apt update; then
    since "$start" | any_refreshed || end 13
    tell note 'Not all package lists could be refreshed; the log says which.'
  fi
fi
if ! simulate >"$run/plan"; then
  cat "$run/plan"
  : >"$run/plan"
  end 14
fi
sort -o "$run/plan" "$run/plan"
if [ "$wanted" != - ] && [ "$(sum_of "$run/plan")" != "$wanted" ]; then drifted; fi
if asked_for upgrade && grep -qE '^(upgrade|install) ' "$run/plan"; then
  check_room
  echo 'Upgrading packages.'
  if [ "$wanted" = - ]; then
    patiently apt -y upgrade --with-new-pkgs || end 14
  else
    grep -E '^(upgrade|install) ' "$run/plan" >"$run/upgrades"
    set -- $(sed -n 's/^upgrade \([^ ]*\) [^ ]* \([^ ]*\) .*/\1=\2/p' "$run/plan")
    apt -s -o Debug::NoLocking=1 install --only-upgrade --no-remove "$@" >"$run/simulated" 2>&1
    plan_of <"$run/simulated" >"$run/again"
    if [ "$(sum_of "$run/again")" != "$(sum_of "$run/upgrades")" ]; then
      cat "$run/simulated"
      drifted
    fi
    patiently apt -y install --only-upgrade --no-remove "$@" || end 14
  fi
fi
if asked_for autoremove; then
  echo 'Removing packages that nothing needs any more.'
  if [ "$wanted" = - ]; then
    patiently apt -y autoremove || end 14
  else
    set -- $(sed -n 's/^remove \([^ ]*\) .*/\1/p' "$run/plan")
    if [ $# -gt 0 ]; then
      removals=$(apt -s -o Debug::NoLocking=1 remove "$@" 2>&1 | plan_of | cut -d' ' -f1,2 | sort)
      if [ "$removals" = "$(grep '^remove ' "$run/plan" | cut -d' ' -f1,2 | sort)" ]; then
        patiently apt -y remove "$@" || end 14
      else
        tell note 'Packages that nothing needs were left: removing them would now remove others too.'
      fi
    fi
  fi
fi
[ -z "$(dpkg --audit)" ] || { dpkg --audit; end 14; }
end 0
`}`;
