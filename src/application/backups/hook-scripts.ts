import { KEPT_UNITS } from '../../domain/backups/hook.ts';

/** How the scripts end. */
export const HOOK_EXIT = {
  released: 0,
  refused: 10,
  stopFailed: 20,
  startFailed: 30,
  leaseEnded: 40,
} as const;

/** The marker lines for "everything is stopped" and for the reason of a refusal. */
export const HELD = '@held';
export const REFUSED = '@refused ';

/**
 * `note`: units that were running and are stopped, one a line, in stop order: kind, engine ("-" for units), id, name.
 * Units that cannot be started go into the result, a line each.
 */
const SHARED = String.raw`PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
up() { read -r now _ </proc/uptime; printf %s "${'$'}{now%%.*}"; }
within() {
  limit=$1; shift
  if command -v timeout >/dev/null 2>&1; then timeout "$limit" "$@"; else "$@"; fi </dev/null
}
start_one() {
  if [ "$kind" = unit ]; then within 300 systemctl start -- "$id"; return; fi
  within 120 "$engine" start "$id" >/dev/null || return 1
  [ "$("$engine" inspect --type container --format '{{.State.Running}}' "$id" </dev/null)" = true ]
}
start_all() {
  failed=
  awk '{ line[NR] = $0 } END { for (n = NR; n > 0; n--) print line[n] }' "$1" >"$DROVER_RUN/again"
  while read -r kind engine id name; do
    if start_one || { sleep 2; start_one; }; then
      echo "Started again: $kind $name."
    else
      failed=yes
      echo "Could not start again: $kind $name."
      printf '%s %s\n' "$kind" "$name" >>"$DROVER_RUN/result"
    fi
  done <"$DROVER_RUN/again"
  [ -z "$failed" ]
}
`;

/**
 * `look_$kind` prints what of "$name" runs, a line each as in the note; `refuse` says on descriptor 3 why it is not stopped, and
 * exits. "$boot", "$pid", "$tick": the service's own process, or empty.
 */
const LOOKS = String.raw`exec 3>&1
refuse() { echo "${REFUSED}$kind $name $1" >&3; exit ${HOOK_EXIT.refused}; }
tick_of() { stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1; set -- ${'$'}{stat##*) }; shift 19; printf %s "$1"; }
own=
if [ -n "$boot" ] && [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ]; then
  for status in $(grep -l "^NSpid:.*[[:space:]]$pid\$" /proc/[0-9]*/status 2>/dev/null); do
    process=${'$'}{status#/proc/}; process=${'$'}{process%/status}
    [ "$(tick_of "$process")" = "$tick" ] && own="$own$(cat "/proc/$process/cgroup" 2>/dev/null)
"
  done
fi
is_own_group() {
  [ -n "$1" ] && [ "$1" != / ] || return 1
  printf '%s' "$own" | awk -F: -v group="$1" '$3 == group || index($3, group "/") == 1 { found = 1 } END { exit !found }'
}
refuse_own() { case $own in *"$1"*) refuse own ;; esac; }
property() { systemctl show -p "$1" -- "$name" 2>/dev/null </dev/null | sed 's/^[^=]*=//'; }
is_engine() { command -v "$1" >/dev/null 2>&1; }
look_unit() {
  command -v systemctl >/dev/null 2>&1 || refuse tool
  [ "$(property LoadState)" = loaded ] || refuse missing
  id=$(property Id)
  case $id in *[[:space:]]* | '') refuse missing ;; ${KEPT_UNITS.join(' | ')}) refuse own ;; esac
  is_own_group "$(property ControlGroup)" && refuse own
  case $(property ActiveState) in active | activating | reloading) echo "unit - $id $name" ;; esac
}
look_container() {
  for engine in docker podman; do
    is_engine $engine || continue
    id=$($engine inspect --type container --format '{{.Id}}' "$name" 2>/dev/null </dev/null) || continue
    refuse_own "$id"
    [ "$($engine inspect --type container --format '{{.State.Running}}' "$id" </dev/null)" = true ] &&
      echo "container $engine $id $name"
    return
  done
  refuse missing
}
look_compose() {
  for engine in docker podman; do
    is_engine $engine || continue
    ids=$($engine ps -aq --no-trunc --filter "label=com.docker.compose.project=$name" 2>/dev/null </dev/null) || continue
    [ -n "$ids" ] || continue
    for id in $ids; do refuse_own "$id"; done
    $engine inspect --type container --format '{{.State.Running}} {{.State.StartedAt}} {{.Id}}' $ids </dev/null |
      grep '^true ' | sort -r | awk '{ print $NF }' | while read -r id; do echo "compose $engine $id $name"; done
    return
  done
  refuse missing
}
`;

/**
 * Says of each pair of kind and name, after the three of the service's process, whether it runs: a line of state, kind and name, or
 * why it would be refused. Changes nothing.
 */
export const CHECK = String.raw`PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
boot=$1 pid=$2 tick=$3
shift 3
${LOOKS}while [ $# -ge 2 ]; do
  kind=$1 name=$2
  shift 2
  found=$(look_$kind)
  [ $? = ${HOOK_EXIT.refused} ] || echo "$([ -n "$found" ] && echo running || echo stopped) $kind $name"
done
exit 0`;

/**
 * Stops the named units, waits, and starts them again: when \`stop\` appears in the run's directory, when \`lease\`
 * was not renewed for "$1" seconds, after "$2" seconds, or when it is terminated. "$3": how long a stop may take;
 * "$4" to "$6": the service's own process; then pairs of kind and name. Units that were not running stay stopped.
 */
export const HOLD = String.raw`${SHARED}lease=$1 most=$2 patience=$3 boot=$4 pid=$5 tick=$6
shift 6
ended=
trap 'ended=yes' TERM INT
note=$DROVER_RUN/stopped
: >"$note.new" || exit ${HOOK_EXIT.refused}
${LOOKS}stop_one() {
  if [ "$kind" = unit ]; then
    within "$patience" systemctl stop -- "$id" && ! systemctl is-active -q -- "$id"
  else
    within $((patience + 10)) "$engine" stop -t "$patience" "$id" >/dev/null
  fi
}
while [ $# -ge 2 ]; do
  kind=$1 name=$2
  shift 2
  look_$kind >>"$note.new"
done
mv "$note.new" "$note"
sync "$note" 2>/dev/null || sync
while read -r kind engine id name; do
  [ -z "$ended" ] && stop_one && echo "Stopped: $kind $name." && continue
  echo "Could not stop: $kind $name."
  start_all "$note" || exit ${HOOK_EXIT.startFailed}
  exit ${HOOK_EXIT.stopFailed}
done <"$note"
[ -s "$note" ] || echo 'Nothing of it was running, so that nothing was stopped.'
echo '${HELD}'
code=${HOOK_EXIT.released}
seen=$(up)
until=$((seen + most))
while [ -z "$ended" ] && [ ! -f "$DROVER_RUN/stop" ]; do
  now=$(up)
  if [ -f "$DROVER_RUN/lease" ]; then rm -f "$DROVER_RUN/lease"; seen=$now; fi
  if [ $((now - seen)) -ge "$lease" ] || [ "$now" -ge "$until" ]; then
    echo 'The lease was not renewed, so everything is started again.'
    code=${HOOK_EXIT.leaseEnded}
    break
  fi
  sleep 1
done
start_all "$note" || code=${HOOK_EXIT.startFailed}
exit $code`;

/** Starts the units that run "$1" had stopped when it was killed, or the host was restarted. */
export const START_AGAIN = String.raw`${SHARED}note=${'$'}{DROVER_RUN%/*}/$1/stopped
[ -f "$note" ] || exit 0
start_all "$note" || exit ${HOOK_EXIT.startFailed}
exit 0`;
