/** Exit codes of the script. */
export const EXIT = {
  noRestic: 41,
  noFlock: 42,
  noHome: 43,
  busy: 44,
  noArguments: 45,
} as const;
/** How long a backup waits for one of the same source that a killed service left on the host. */
const BUSY_WAIT_S = 20;

/**
 * The repository and its secrets come on standard input as NAME=value lines up to an empty one, into restic's
 * environment only: nothing of it is in the process list or on a disk. restic's arguments follow in the same way, so
 * that all of this is ready before they are known; without the empty line after them restic is not started. "$1"
 * names a lock file on the host or is empty; restic holds it as an open file, so that the kernel releases it when
 * restic exits.
 */
export const RUN_SCRIPT = `command -v restic >/dev/null 2>&1 || exit ${EXIT.noRestic}
unset RESTIC_PASSWORD_FILE RESTIC_PASSWORD_COMMAND RESTIC_REPOSITORY_FILE
while IFS= read -r line && [ -n "$line" ]; do export "$line"; done
lock=$1; set --
if [ -n "$lock" ]; then
  command -v flock >/dev/null 2>&1 || exit ${EXIT.noFlock}
  home=$(getent passwd "$(id -u)" 2>/dev/null | cut -d: -f6)
  [ -n "$home" ] || home=$HOME
  (umask 077; mkdir -p "$home/.drover") || exit ${EXIT.noHome}
  exec 8>>"$home/.drover/restic-$lock.lock" || exit ${EXIT.noHome}
  tries=0
  while ! flock -n 8; do
    tries=$((tries + 1)); [ "$tries" -lt ${BUSY_WAIT_S} ] || exit ${EXIT.busy}
    sleep 1
  done
fi
while IFS= read -r line; do
  [ -n "$line" ] || exec restic "$@"
  line=\${line#=}
  case $line in *\\\\*) line=$(printf '%bx' "$line"); line=\${line%x};; esac
  set -- "$@" "$line"
done
exit ${EXIT.noArguments}`;

/** A line for each argument, as the script expects them. */
export const argumentLines = (args: readonly string[]): string =>
  `${args.map((arg) => `=${arg.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`).join('')}\n`;

/**
 * On standard input is the prefix of the id; "$1": a repository on the host, or empty. Then restic's cache has each
 * snapshot that it created.
 */
export const WHOLE_ID_SCRIPT = `read -r start || exit 0
if [ -n "$1" ]; then set -- "$1/snapshots/$start"*
else set -- "\${RESTIC_CACHE_DIR:-\${XDG_CACHE_HOME:-$HOME/.cache}/restic}"/*/snapshots/??/"$start"*
fi
for file do
  if [ -f "$file" ]; then printf '%s\\n' "\${file##*/}"; fi
done`;
