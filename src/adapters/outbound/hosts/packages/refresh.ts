/** Exit codes of `REFRESH` besides 0; any other is the package manager's. */
export const REFRESH_EXIT = { locked: 10, failed: 14, noTool: 127 } as const;

/**
 * `watch_refresh TOTAL SED [BEGUN]` passes on a refresh's output, which ends with a line `ended CODE`, and reports
 * whether all TOTAL sources failed; the sed script prints a source's name from its failure line. With BEGUN, which
 * prints the name of a source that is started, it counts those instead.
 */
export const WATCH_REFRESH = String.raw`
watch_refresh() {
  faulty=' ' count=0 begun=0 ended=1
  while IFS= read -r line; do
    case $line in 'ended '*) ended=${'$'}{line#ended }; continue ;; esac
    printf '%s\n' "$line"
    [ -z "$3" ] || [ -z "$(printf '%s\n' "$line" | sed -n "$3")" ] || begun=$((begun + 1))
    source=$(printf '%s\n' "$line" | sed -n "$2" | tr ' ' '_')
    [ -n "$source" ] || continue
    case $faulty in *" $source "*) ;; *) faulty="$faulty$source " count=$((count + 1)) ;; esac
  done
  [ "$ended" != 0 ] || [ "$count" -gt 0 ] || return 0
  if [ -n "$3" ]; then set -- "$begun"; fi
  if [ "$count" -ge "$1" ] || [ "$count" = 0 ]; then echo 'No package source could be refreshed.'; fi
  return 1
}
pm_any_refreshed() { ! grep -q '^No package source could be refreshed'; }
`;

/**
 * Refreshes the package lists with the `pm_` functions before it, and waits up to "$1" seconds for another program's
 * lock, which it reports once. It may be ended at any time: package managers move new lists into place atomically.
 */
export const REFRESH = `exec </dev/null 2>&1
export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin" TERM=dumb
lock_seconds=$1
pm_there || exit ${REFRESH_EXIT.noTool}
${String.raw`
# Passes lines on until one tells of a lock: that one is the answer, and what came before it is no news.
pass_on() {
  refreshed=1
  while IFS= read -r line; do
    case $line in
      'refreshed '*) refreshed=${'$'}{line#refreshed } ;;
      *)
        if [ -n "$(printf '%s\n' "$line" | pm_lock_words)" ]; then
          [ -n "$shown" ] || printf 'Waiting for another program, which holds the lock: %s\n' "$line"
          return 10
        fi
        printf '%s\n' "$line"
        ;;
    esac
  done
  [ "$refreshed" = 0 ] || return 14
}
waited=0 shown=
while :; do
  { pm_refresh; echo "refreshed $?"; } 2>&1 | pass_on
  code=$?
  [ "$code" = 10 ] || exit "$code"
  [ "$waited" -lt "$lock_seconds" ] || exit 10
  shown=1
  sleep 1
  waited=$((waited + 1))
done
`}`;
