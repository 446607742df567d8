import { CHECK_SHELL } from '../shell/update-checks.ts';

/** What the copy of a guarded path is called: beside the path, followed by the run's id and a number. */
export const COPY_PREFIX = '.drover-guard-';

/**
 * Shell for guarded updates. Notes in `$run`: `guard` (paths to save, one a line; missing: not guarded), `checks` (as
 * `CHECK_SHELL` reads them), `well` (services that were well),
 * `ran` (services that ran), `phase`: `saving` (the project's data is as it was), `saved` (the copies are complete and
 * the data may differ), `over`. The copies are only read once they are complete, so that a restore can be repeated.
 */
export const GUARD_SHELL = `${CHECK_SHELL}${String.raw`
run_id=${'$'}{run##*/}
is_guarded() { [ -f "$run/guard" ]; }
phase() {
  printf '%s %s %s\n' "$1" "$number" "$run_id" >"$run/phase.new" && sync "$run/phase.new" && mv "$run/phase.new" "$run/phase" && sync "$run"
}
copy_of() { printf '%s/${COPY_PREFIX}%s-%s-%s' "${'$'}{1%/*}" "$run_id" "$number" "$2"; }
# Runs "$1" with each path and its copy; stops at the first failure.
each_path() {
  place=0
  while IFS= read -r path; do
    "$1" "$path" "$(copy_of "$path" "$place")" || return 1
    place=$((place + 1))
  done <"$run/guard"
}
drop_copy() { rm -rf -- "$2"; }
drop_copies() { each_path drop_copy; }
copy_data() { cp -a --reflink=auto -- "$1" "$2" </dev/null; }
save_one() {
  rm -rf -- "$2"
  (umask 077 && mkdir -- "$2") && copy_data "$1" "$2/data"
}
# The place itself stays, since it may be a mount point.
restore_one() {
  if [ -d "$2/data" ]; then
    mkdir -p -- "$1" && find "$1" -xdev -mindepth 1 -delete && copy_data "$2/data/." "$1/"
  else
    [ -e "$2/data" ] && cp -a --reflink=auto --remove-destination -- "$2/data" "$1"
  fi
}
# Whether the copies fit beside the paths, with 64 MiB to spare.
add_need() {
  parent=${'$'}{1%/*}
  printf '%s %s\n' "$(du -sk -- "$1" | cut -f1)" "$(df -Pk -- "${'$'}{parent:-/}" | awk 'NR == 2 { print $4, $1 }')" >>"$run/needs"
}
has_room() {
  : >"$run/needs"
  each_path add_need || return 1
  awk '$2 == "" { lack = 1 } { need[$3] += $1; free[$3] = $2 } END { for (each in need) if (need[each] + 65536 > free[each]) lack = 1; exit lack }' "$run/needs"
}
stop_project() {
  compose stop
  left=$(ids '')
  [ -z "$left" ] || engine stop $left >/dev/null
  [ -z "$(ids '')" ]
}
# Starts what ran, in the order in which its services depend on each other.
start_ran() {
  set -- start
  while IFS= read -r service; do set -- "$@" "$service"; done <"$run/ran"
  [ $# -eq 1 ] || compose "$@"
}
# Notes which services ran, and which of these were well: only they have to be well afterwards, and those that get an image.
note_well() {
  awk '$4 == "true" { print $1 }' "$run/before" | sort -u >"$run/ran" || return 1
  all=$(ids '')
  [ -z "$all" ] || engine inspect --format "$state_of" $all >"$run/states" || return 1
  {
    cut -d' ' -f1 "$run/services"
    [ -z "$all" ] || awk '{ if ($3 != "running" || $4 == "unhealthy") sick[$2] = 1; all[$2] = 1 } END { for (each in all) if (!sick[each]) print each }' "$run/states"
  } | sort -u >"$run/well"
}
all_well() { healthy $(cat "$run/well"); }
# Stops the project and copies its data. "$why": what failed; then the project runs as before.
save_data() {
  why=save
  note_well && printf '%s\n' "$dir" "$name" "$observe" "$kind" >"$run/place" || return 1
  if ! has_room; then why=room; return 1; fi
  sync && phase saving || return 1
  if [ -s "$run/guard" ]; then
    echo 'Stopping the project to save its data.'
    if stop_project && each_path save_one && sync; then
      echo 'The data is saved.'
    else
      start_ran
      drop_copies
      phase over
      return 1
    fi
  fi
  phase saved && return 0
  start_ran
  drop_copies
  return 1
}
# Back to the images and the data that were there. Needs the notes of the project; can be repeated.
guarded_back() {
  services=$(cut -d' ' -f1 "$run/services" | tr '\n' ' ')
  stop_project || { tell kept "$number"; return 1; }
  if ! each_path restore_one || ! sync; then
    echo 'The data could not be restored.'
    tell kept "$number"
    return 1
  fi
  [ ! -s "$run/guard" ] || echo 'The data is restored.'
  begun=--no-start
  bring_back "$services"
  begun=-d
  start_ran
  tags_back
  drop_fresh
  all_well
  look >"$run/after"
  cmp -s "$run/before" "$run/after" || { tell kept "$number"; return 1; }
  users_checks || tell note "$number" checks
  drop_copies
  phase over
  echo 'Rolled back.'
}
failed_log() {
  echo 'The log of the failed start:'
  compose logs --no-color --tail 100 $(cut -d' ' -f1 "$run/services") 2>&1 | tail -n 200 | head -c 32768
  echo
}
# Where a service is reached from the host: a container of the host's network has no address.
address_of() {
  container=$(ids "$1" | head -n 1)
  [ -n "$container" ] || return 1
  engine inspect --format '{{range .NetworkSettings.Networks}}{{println .IPAddress}}{{end}}' "$container" | grep -m 1 . || echo 127.0.0.1
}
check_command() {
  container=$(ids "$1" | head -n 1)
  [ -n "$container" ] || return 1
  shift
  timeout 60 "$kind" exec "$container" "$@" >"$run/said" 2>&1
}
check_once() {
  while :; do
    next_check && continue
    [ $? = 2 ]
    return
  done
}
# The user's checks: each has a minute to pass.
users_checks() {
  [ -s "$run/checks" ] || return 0
  deadline=$(($(second_now) + 60))
  while ! check_once 4<"$run/checks"; do
    if [ "$(second_now)" -ge "$deadline" ]; then
      echo "A check failed: $sick"
      head -c 2000 "$run/said"
      return 1
    fi
    sleep 1
  done
  sick=
  echo 'The checks passed.'
}
# Goes on looking for "$observe" seconds; a check that fails has to fail again five seconds later.
observe() {
  [ "$observe" -gt 0 ] || return 0
  echo "Observing the project for $observe s."
  over=$(($(second_now) + observe))
  while [ "$(second_now)" -lt "$over" ]; do
    all_well || return 1
    if [ -s "$run/checks" ] && ! check_once 4<"$run/checks"; then
      sleep 5
      check_once 4<"$run/checks" || { echo "A check failed: $sick"; return 1; }
      sick=
    fi
    sleep 2
  done
}
# Ends what a dead run has left running: all of it has the run's directory in its environment.
end_processes() {
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    found=
    for each in $(ls /proc | grep '^[0-9]*$'); do
      tr '\0' '\n' 2>/dev/null <"/proc/$each/environ" | grep -qxF "DROVER_RUN=$1" || continue
      kill -KILL "$each" 2>/dev/null && found=yes
    done
    [ -n "$found" ] || return 0
    sleep 1
  done
  return 1
}
# After "$1", a run that died or was interrupted by a reboot: makes its project what it was.
recover() {
  old=${'$'}{run%/*}/$1
  [ -s "$old/phase" ] || end 17
  end_processes "$old" || end 17
  for each in files services refs before tags fresh guard checks well ran place told; do
    [ ! -f "$old/$each" ] || cp -- "$old/$each" "$run/$each" || end 17
  done
  [ ! -f "$old/result" ] || cp -- "$old/result" "$run/told"
  read -r ended number run_id <"$old/phase"
  if [ "$ended" = over ]; then
    grep -q '^state [0-9]* [^d]' "$run/told" && end 15
    end 0
  fi
  { IFS= read -r dir; IFS= read -r name; IFS= read -r observe; } <"$run/place" || end 17
  attempt=0
  until engine ps -q >/dev/null 2>&1; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 120 ] || end 17
    sleep 1
  done
  tell why "$number" - interrupted -
  echo 'The update was interrupted on the host. Rolling back to the previous images.'
  if [ "$ended" = saved ]; then
    if guarded_back; then tell state "$number" rolled_back; end 14; fi
  else
    start_ran
    tags_back
    drop_fresh
    drop_copies
    all_well
    look >"$run/after"
    if cmp -s "$run/before" "$run/after"; then tell state "$number" rolled_back; end 14; fi
  fi
  tell state "$number" rollback_failed
  end 15
}
`}`;
