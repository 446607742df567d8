/**
 * The run's directory `~/.drover/runs/<id>` has: `script` and `run` (the script, and its watcher), `log`, `boot_id`,
 * `started` (a directory: the process that creates it may start the run), `process` (pid and start tick), `exit` (the
 * exit code, written atomically by a rename), `stop` (asks the script to stop if it still can), `never` (a reader
 * revoked the right to start), `result` (by the script), and `reserve`, space that is freed when the work ends, so
 * that the result can be written to a full disk.
 * A removed run leaves its directory with only `started` and `forgotten`, for a week: a start that a suspended or
 *  disconnected worker sent long before may arrive only now, and must find that it is too late.
 * The home directory comes from the user database, since sudo may leave HOME as it was.
 */
const PLACE = `umask 077
home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
[ -n "$home" ] || home=$HOME
base=$home/.drover/runs
dir=$base/$1
`;

/** When a process started: field 22 of /proc/PID/stat, counted from behind the name in parentheses, see proc(5). */
const TICK = `tick_of() {
  [ -r "/proc/$1/stat" ] || return 1
  read -r stat <"/proc/$1/stat" 2>/dev/null || return 1
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "$1" != X ] && shift 19 && printf %s "$1"
}
`;

/** Watches over the script: claims the start, notes who runs, and leaves the exit code. Run with the directory as "$1". */
export const WATCHER = `dir=$1; shift
mkdir "$dir/started" 2>/dev/null || exit 0
${TICK}
printf '%s %s' "$$" "$(tick_of $$)" >"$dir/process.new" && mv "$dir/process.new" "$dir/process"
export DROVER_RUN="$dir"
trap '' HUP
trap : TERM
sh "$dir/script" "$@" </dev/null >>"$dir/log" 2>&1
code=$?
rm -f "$dir/reserve"
printf %s "$code" >"$dir/exit.new"
sync "$dir/log" "$dir/exit.new" 2>/dev/null || sync
mv "$dir/exit.new" "$dir/exit"
`;

/** Deletes marks that are a week old, and abandoned runs without output for a week. */
const SWEEP = `find "$base" -mindepth 2 -maxdepth 2 \\( -name log -o -name forgotten \\) -mtime +7 2>/dev/null | while read -r old; do
  old=\${old%/*}
  if [ ! -f "$old/exit" ] && [ -f "$old/process" ]; then
    read -r pid tick <"$old/process" || :
    [ "$(tick_of "$pid")" = "$tick" ] && continue
  fi
  rm -rf -- "$old"
done
`;

/**
 * "$1": the id; "$2": bytes of the watcher's text on standard input, which the script follows; then the script's
 * arguments. mkdir decides who prepares the run. A preparation that was interrupted before the run started is
 * recognized by the missing \`started\`, see READ. Under systemd the run is a separate unit, so that it survives the
 * end of the SSH session; elsewhere a separate session.
 */
export const START = `${PLACE}${TICK}mkdir -p "$base" || exit 71
mkdir "$dir" 2>/dev/null || { [ -d "$dir" ] && exit 0; exit 71; }
${SWEEP}id=$1; watcher=$2; shift 2
# Byte by byte: the head of busybox takes more than it gives.
dd bs=1 count="$watcher" >"$dir/run" 2>/dev/null || exit 71
cat >"$dir/script" || exit 71
cat /proc/sys/kernel/random/boot_id >"$dir/boot_id" || exit 71
# Not zeros: some file systems would keep no room for them.
dd if=/dev/urandom of="$dir/reserve" bs=4096 count=8 2>/dev/null || { echo 'there is no room for what it would write' >&2; exit 71; }
: >"$dir/log"
if [ -d /run/systemd/system ] && [ "$(id -u)" = 0 ] && command -v systemd-run >/dev/null; then
  systemd-run --quiet --collect --unit="drover-run-$id" --property=KillMode=process sh "$dir/run" "$dir" "$@" </dev/null >/dev/null 2>&1 && exit 0
fi
command -v setsid >/dev/null || exit 72
setsid sh "$dir/run" "$dir" "$@" </dev/null >/dev/null 2>&1 &
exit 0`;

/**
 * "$1": the id, "$2": the offset, "$3": how many fifths of a second to wait at most, "$4": bytes to read at most.
 * Prints a line \`state exit-code bytes\`, then that many bytes of the log. The state is read before the log's size,
 * so that an end is never reported before all of its log.
 */
export const READ = `${PLACE}${TICK}
[ -d "$dir" ] && [ ! -f "$dir/forgotten" ] || { echo 'unknown - 0'; exit 0; }
cd "$dir" || exit 71
look() {
  code=-
  if [ -f never ]; then state=not_started; return; fi
  if [ -f exit ]; then state=ended; code=$(cat exit); return; fi
  if [ "$(cat boot_id 2>/dev/null)" != "$(cat /proc/sys/kernel/random/boot_id)" ] && [ -s boot_id ]; then state=interrupted; return; fi
  if [ -f process ]; then
    read -r pid tick <process || :
    if [ "$(tick_of "$pid")" = "$tick" ]; then state=running; return; fi
    # It may have ended between the two looks.
    if [ -f exit ]; then state=ended; code=$(cat exit); else state=died; fi
    return
  fi
  state=starting
}
turn=0
grace=0
while :; do
  look
  size=$(wc -c <log 2>/dev/null || echo 0)
  size=$((size))
  if [ "$state" = starting ]; then
    grace=$((grace + 1))
    # A process that has waited five seconds for the start takes the right to it away: from then on it never starts.
    if [ "$grace" -gt 25 ]; then
      if mkdir started 2>/dev/null; then : >never; state=not_started; break; fi
      [ "$grace" -gt 50 ] && { state=died; break; }
    fi
    sleep 0.2 2>/dev/null || sleep 1
    continue
  fi
  if [ "$state" != running ] || [ "$size" -gt "$2" ] || [ "$turn" -ge "$3" ]; then break; fi
  turn=$((turn + 1))
  sleep 0.2 2>/dev/null || { sleep 1; turn=$((turn + 4)); }
done
bytes=$((size - $2))
[ "$bytes" -lt 0 ] && bytes=0
[ "$bytes" -gt "$4" ] && { bytes=$4; state=running; code=-; }
echo "$state $code $bytes"
[ "$bytes" -eq 0 ] || tail -c +$(($2 + 1)) log | head -c "$bytes"`;

/** "$1": the id. The run is a process group; its watcher survives the signal and writes the exit code. */
export const TERMINATE = `${PLACE}${TICK}
[ -f "$dir/process" ] && [ ! -f "$dir/exit" ] || { echo none; exit 0; }
read -r pid tick <"$dir/process" || :
[ "$(tick_of "$pid")" = "$tick" ] && kill -TERM "-$pid" 2>/dev/null || { echo none; exit 0; }
echo sent`;

/** "$1": the id. */
export const ASK_TO_STOP = `${PLACE}[ -f "$dir/process" ] && [ ! -f "$dir/exit" ] || exit 0
: >"$dir/stop"`;

/** "$1": the id. */
export const RENEW = `${PLACE}[ -f "$dir/process" ] && [ ! -f "$dir/exit" ] || exit 0
: >"$dir/lease"`;

/** "$1": the id, "$2": bytes at most. */
export const RESULT = `${PLACE}[ ! -f "$dir/result" ] || head -c "$2" "$dir/result"`;

/**
 * "$1": the id. The remaining mark prevents a late start, see above; `forgotten` has to come first, or the state
 * could be misread.
 */
export const FORGET = `${PLACE}${TICK}
[ -d "$dir" ] || exit 0
if [ ! -f "$dir/exit" ] && [ -f "$dir/process" ]; then
  read -r pid tick <"$dir/process" || :
  [ "$(tick_of "$pid")" = "$tick" ] && [ "$(cat "$dir/boot_id")" = "$(cat /proc/sys/kernel/random/boot_id)" ] && exit 73
fi
: >"$dir/forgotten" || exit 71
mkdir "$dir/started" 2>/dev/null
shift
for left in "$dir"/* "$dir"/.[!.]*; do
  case \${left##*/} in started | forgotten) ;; *) set -- "$@" "$left" ;; esac
done
rm -rf -- "$@"`;
