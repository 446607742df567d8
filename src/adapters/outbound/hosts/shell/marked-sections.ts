/**
 * One script, many answers. Each answer is printed between two lines with a mark that is random for every run, so
 * that no command output (a label, a description, a mount point with a line break in it) is taken for another answer.
 * The prologue of every script; POSIX sh, tried with dash, bash and busybox:
 *
 * - `$1` is the mark, 16 random bytes or more in hexadecimal digits
 * - `limit SECONDS PROGRAM…` ends a program after this long. The `timeout` of busybox is unsuitable: its watchdog
 *   holds the program's output open for up to a second after the end (seen with 1.35), so without coreutils this uses
 *   its own. That one sleeps a second at a time: when the program ends first, its leftovers exit a second later. Which
 *   one to use is determined when needed, by a section before it starts others that would each check again
 * - `section NAME BYTES COMMAND…` prints a section of at most BYTES bytes; `$code` is then the command's exit code
 * - `section_here NAME COMMAND…` does that in the shell itself, without a limit and without the four processes that
 *   the limit takes: for output of the kernel or the script alone
 * - `section_kept NAME BYTES TEXT CODE` does that with a command's earlier output, if the shell has to read that, too
 * - `at_once COMMAND…` prints a command's output when it has ended: each `printf` of a shell would be a separate
 *   packet, which costs host and service time. Not for output to be followed
 */
export const SECTIONS_PRELUDE = String.raw`
export LC_ALL=C PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
mark=$1
exec 3>&1 </dev/null 2>/dev/null
has() { command -v "$1" >/dev/null 2>&1; }
limit() {
  settle_limit
  limit "$@"
}
settle_limit() {
  settle_limit() { :; }
  case $(timeout --version) in
    *coreutils*) limit() { timeout -k 2 "$@"; } ;;
    *) limit() { watch "$@"; } ;;
  esac
}
watch() {
  seconds=$1
  shift
  { "$@" <&5 5<&- & } 5<&0
  watched=$!
  {
    while [ "$seconds" -gt 0 ]; do
      sleep 1
      seconds=$((seconds - 1))
    done
    kill "$watched"
  } </dev/null >/dev/null 3>&- 4>&- &
  watcher=$!
  wait "$watched"
  set -- $?
  kill -9 "$watcher"
  wait "$watcher"
  return "$1"
}
section() {
  name=$1 most=$2
  shift 2
  settle_limit
  printf '\n%s begin %s\n' "$mark" "$name"
  code=$({ { "$@" 3>&- 4>&-; printf %s "$?" >&4; } | head -c "$most" >&3; } 4>&1)
  printf '\n%s end %s\n' "$mark" "$code"
}
at_once() {
  answer=$(
    exec 3>&1
    "$@"
  )
  printf '%s\n' "$answer"
}
section_here() {
  printf '\n%s begin %s\n' "$mark" "$1"
  shift
  "$@"
  printf '\n%s end %s\n' "$mark" "$?"
}
section_kept() {
  if [ "${'$'}{#3}" -gt "$2" ]; then
    section "$1" "$2" printf '%s\n' "$3"
  else
    printf '\n%s begin %s\n%s\n\n%s end %s\n' "$mark" "$1" "$3" "$mark" "$4"
  fi
}
`;

export interface Section {
  readonly text: string;
  readonly exitCode: number;
}

/** A complete section; an incomplete one is missing. */
export type Sections = ReadonlyMap<string, Section>;

/** Time goes with the length of the output, whatever is in it. Of sections with the same name the first counts. */
export function readSections(output: string, mark: string): Sections {
  const sections = new Map<string, Section>();
  for (const part of output.split(`\n${mark} begin `).slice(1)) {
    const endOfName = part.indexOf('\n');
    const end = part.indexOf(`\n${mark} end `);
    if (endOfName < 0 || end < endOfName) continue;
    const name = part.slice(0, endOfName);
    const exitCode = Number.parseInt(part.slice(end + `\n${mark} end `.length), 10);
    if (Number.isNaN(exitCode) || sections.has(name)) continue;
    sections.set(name, { text: part.slice(endOfName + 1, Math.max(end, endOfName + 1)), exitCode });
  }
  return sections;
}
