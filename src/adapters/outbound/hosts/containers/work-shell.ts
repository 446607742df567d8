import { COMPOSE_SHELL } from './compose-shell.ts';

/**
 * Shell that all orders share. State of the current project: `$name` (or "-"), `$dir`, and in `$run`: `files` (config
 * files, the last first), `tags` (image, and its previous id, or "-"), `fresh` (pulled names that did not exist
 * before). Container ids are the engine's own hexadecimal digits; everything else stays in quotes.
 */
export const WORK_SHELL = `${String.raw`exec </dev/null 2>&1
umask 022
set -f
run=$DROVER_RUN
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
export HOME="${'$'}{home:-${'$'}{HOME:-/}}"
export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
kind=$1 verb=$2
shift 2
# A recovery has the engine of the run that it is about.
[ "$kind" != - ] || kind=$(sed -n 4p "${'$'}{run%/*}/$1/place" 2>/dev/null)
: >"$run/told"
# On a full disk in the room that was kept for it.
tell() {
  printf '%s\n' "$*" >>"$run/told" && return 0
  rm -f "$run/reserve"
  printf '%s\n' "$*" >>"$run/told"
}
end() {
  [ "${'$'}{staged:--}" = - ] || rm -rf -- "$HOME/.drover/stage/$staged"
  mv "$run/told" "$run/result"
  exit "$1"
}
engine() { "$kind" "$@" </dev/null; }
[ -n "$kind" ] || end 17
command -v "$kind" >/dev/null || end 127
`}${COMPOSE_SHELL}${String.raw`
find_compose "$kind"
case $? in
  0) ;;
  1) tell compose; end 127 ;;
  *) tell socket; end 127 ;;
esac
compose() {
  set -- --project-directory "$dir" "$@"
  [ "$name" = - ] || set -- -p "$name" "$@"
  while IFS= read -r file; do set -- -f "$file" "$@"; done <"$run/files"
  (cd "$dir" && COMPOSE_ANSI=never COMPOSE_MENU=false by_compose "$@" </dev/null)
}
# Ids of containers; "$1": a service, or nothing for all; then options of ps.
ids() {
  of_service=$1
  shift
  [ -z "$of_service" ] || set -- --filter "label=com.docker.compose.service=$of_service" "$@"
  [ "$name" = - ] || set -- --filter "label=com.docker.compose.project=$name" "$@"
  engine ps -q --no-trunc --filter "label=com.docker.compose.oneoff=False" \
    --filter "label=com.docker.compose.project.working_dir=$dir" "$@"
}
label_of='{{index .Config.Labels "com.docker.compose.service"}}'
hash_of='{{index .Config.Labels "com.docker.compose.config-hash"}}'
# One line a container: what has to be the same after a rollback.
look() {
  all=$(ids '' -a) || return 1
  [ -z "$all" ] || engine inspect --format "$label_of {{.Image}} $hash_of {{.State.Running}}" $all | sort
}
# Notes down what is there, and from what it was made. Where that fails nothing may be begun: a rollback goes by it. Lines are
# counted, since the engine tells nobody that a disk was full. "$there": the containers, whatever becomes of the notes.
remember() {
  look >"$run/before" || return 1
  there=$all
  set -- $all
  [ "$(wc -l <"$run/before")" -eq $# ] || return 1
  [ $# -eq 0 ] && return 0
  engine inspect --format "$label_of {{.Image}} {{.Config.Image}}" "$@" | sort -u >"$run/refs" && [ -s "$run/refs" ]
}
# Ends the work where something could not be noted, before anything was begun.
unnoted() {
  tell project 0 "$dir"
  tell state 0 failed
  tell why 0 - notes -
  end 14
}
# Makes services (those in "$1", or all that were there) anew from the very images that they had.
bring_back() {
  while read -r of id image; do
    case " $1 " in *" $of "*) ;; *) [ -z "$1" ] || continue ;; esac
    engine tag "$id" "$image"
    count=$(awk -v of="$of" '$1 == of' "$run/before" | wc -l)
    # The engine may restart a container that keeps ending between compose's stop and its removal, which then fails.
    for attempt in 1 2 3; do
      compose up "$begun" --no-deps --no-build --pull never --scale "$of=$((count))" "$of" && break
      [ "$attempt" -eq 3 ] || { compose stop "$of"; sleep 1; }
    done
  done <"$run/refs"
}
image_id() { engine image inspect --format '{{.Id}}' "$1" 2>/dev/null; }
# Pulls "$2" (a name with a digest) and calls it "$1"; remembers what that was.
pull() {
  grep -qxF -- "$1 $2" "$run/pulled" && return 0
  awk -v image="$1" '$1 == image { found = 1 } END { exit !found }' "$run/tags" ||
    echo "$1 $(image_id "$1" || echo -)" >>"$run/tags" || return 1
  if ! image_id "$2" >/dev/null; then
    echo "$2" >>"$run/fresh" || return 1
    echo "Pulling $2"
    timeout 3600 "$kind" pull -q "$2" </dev/null || return 1
  fi
  engine tag "$2" "$1" || return 1
  echo "$1 $2" >>"$run/pulled"
}
tags_back() {
  while read -r image id; do
    [ "$(image_id "$image")" = "$id" ] && continue
    if [ "$id" = - ]; then engine rmi "$image" >/dev/null; else engine tag "$id" "$image"; fi
  done <"$run/tags"
}
# After a rollback nothing uses them.
drop_fresh() {
  while read -r pulled; do engine rmi "$pulled" >/dev/null 2>&1; done <"$run/fresh"
}
begin_project() {
  : >"$run/tags"
  : >"$run/fresh"
  : >"$run/pulled"
  : >"$run/refs"
}
second() { printf '%d' "$(($1 / 1000000000))"; }
# How long the health checks of these containers may take to come to an end.
patience() {
  longest=60
  for id in "$@"; do
    set -- $(engine inspect --format '{{with .Config.Healthcheck}}{{printf "%d %d %d %d" .StartPeriod .Interval .Timeout .Retries}}{{end}}' "$id")
    [ $# -eq 4 ] || continue
    interval=$(second "$2") timeout=$(second "$3") retries=$4
    [ "$2" -gt 0 ] || interval=30
    [ "$3" -gt 0 ] || timeout=30
    [ "$4" -gt 0 ] || retries=3
    needed=$(($(second "$1") + (interval + timeout) * (retries + 1) + 10))
    [ "$needed" -le "$longest" ] || longest=$needed
  done
  [ "$longest" -le 900 ] || longest=900
}
# By the names of Go: one that only JSON has makes docker read the answer as a map, in which a container without a health check has no
# .State.Health to ask for.
state_of='{{.ID}} '"$label_of"' {{.State.Status}} {{with .State.Health}}{{with .Status}}{{.}}{{else}}none{{end}}{{else}}none{{end}} {{.RestartCount}} {{.State.ExitCode}}'
# Waits until the containers of these services (all of them without any) are healthy; else "$sick" says who is not, and how.
healthy() {
  sick=
  watched=
  if [ $# -eq 0 ]; then watched=$(ids '' -a); else
    for each in "$@"; do watched="$watched $(ids "$each" -a)"; done
  fi
  set -- $watched
  [ $# -gt 0 ] || return 0
  patience "$@"
  waited=0
  counts=
  while :; do
    settled=yes
    # Kept in no file: a full disk would make them all look well.
    states=$(engine inspect --format "$state_of" "$@") || { sick="- gone -"; return 1; }
    while read -r id service status health count code; do
      if [ "$waited" -eq 0 ]; then counts="$counts $id=$count "; fi
      before=${'$'}{counts##* "$id="}
      before=${'$'}{before%% *}
      case $status in
        running)
          [ "$count" -le "${'$'}{before:-0}" ] || sick="$service restarting $code"
          case $health in
            healthy) ;;
            none) [ "$waited" -ge 10 ] || settled= ;;
            unhealthy) sick="$service unhealthy -" ;;
            *) settled= ;;
          esac
          ;;
        exited) [ "$code" -eq 0 ] || sick="$service exited $code" ;;
        # podman's words on the way. A code of 0 may mean that it has not looked yet how the container ended
        stopped) if [ "$code" -eq 0 ]; then settled=; else sick="$service exited $code"; fi ;;
        created | initialized | stopping) settled= ;;
        *) sick="$service $status $code" ;;
      esac
      if [ -n "$sick" ]; then
        echo "Not healthy: $sick"
        engine inspect --format '{{with .State.Health}}{{range .Log}}{{.Output}}{{"\n"}}{{end}}{{end}}' "$id" | tail -n 5 | head -c 2000
        break
      fi
    done <<STATES
$states
STATES
    [ -z "$sick" ] || return 1
    [ -n "$settled" ] && return 0
    if [ "$waited" -ge "$longest" ]; then
      sick="$(printf '%s\n' "$states" | awk '$3 != "running" || ($4 != "healthy" && $4 != "none") { print $2; exit }') waiting $waited"
      return 1
    fi
    sleep 1
    waited=$((waited + 1))
  done
}
# Removes images by id that nothing needs: not by force, and none that has a name.
prune() {
  sort -u "$run/replaced" | while read -r id; do
    [ "$(engine image inspect --format '{{len .RepoTags}}' "$id" 2>/dev/null)" = 0 ] || continue
    [ -z "$(engine ps -aq --filter "ancestor=$id")" ] || continue
    engine rmi "$id" >/dev/null 2>&1 && tell pruned "$id"
  done
}
: >"$run/replaced"
worst=0
begun=-d
`}`;
