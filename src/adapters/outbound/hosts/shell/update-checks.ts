import { checkText, type PlainCheck } from '../../../../domain/compose/update-check.ts';

/**
 * Shell for the user's checks, each a line with the number of its words, then the words, one a line (`checkLines`).
 * The script provides `check_command`, and `address_of`, which prints where the service "$1" is reached from the host.
 * `next_check` does the next check of file descriptor 4: 2 if there is none; after a failure `$sick` says which, and
 * `$run/said` has the output.
 */
export const CHECK_SHELL = String.raw`
second_now() { read -r now _ </proc/uptime; printf %s "${'$'}{now%%.*}"; }
# By bash, which every Debian has: the answer's first line has the status, and HTTP/1.0 sends the body as one piece.
check_http() {
  address=$(address_of "$1") || return 1
  timeout 10 bash -c 'exec 3<>"/dev/tcp/$1/$2" && printf "GET %s HTTP/1.0\r\nHost: %s:%s\r\nConnection: close\r\n\r\n" "$3" "$1" "$2" >&3 && head -c 1048576 <&3' - "$address" "$2" "$3" >"$run/page" 2>"$run/said" || return 1
  head -n 1 "$run/page" | grep -q "^HTTP/1\.[01] $4" || return 1
  [ -z "$5" ] || grep -qF -- "$5" "$run/page"
}
check_tcp() {
  address=$(address_of "$1") || return 1
  timeout 10 bash -c 'exec 3<>"/dev/tcp/$1/$2"' - "$address" "$2" 2>/dev/null
}
next_check() {
  IFS= read -r count <&4 || return 2
  set --
  while [ "$count" -gt 0 ]; do
    IFS= read -r word <&4
    set -- "$@" "$word"
    count=$((count - 1))
  done
  : >"$run/said"
  which=$1
  shift
  "check_$which" "$@" </dev/null 4<&- && return 0
  sick="$1 check $which"
  return 1
}
`;

/** The lines of one check; `service`: its name, or `-` for a check of the host. Throws if a word cannot be a line. */
export function checkLines(check: PlainCheck, service: string): readonly string[] {
  const words = wordsOf(check, service);
  if (words.some((word) => /[\0\n\r]/.test(word))) throw new Error(`Not a check: ${checkText(check)}`);
  return [String(words.length), ...words];
}

function wordsOf(check: PlainCheck, service: string): readonly string[] {
  if (check.kind === 'tcp') return ['tcp', service, String(check.port)];
  if (check.kind === 'command') return ['command', service, ...check.argv];
  return ['http', service, String(check.port), check.path, String(check.status), check.body];
}
