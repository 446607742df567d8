import type { GuardReport, PatchGuardOrder } from '../../../../../application/ports/fleet/package-manager.ts';
import type { HostHealth } from '../../../../../domain/fleet/host-health.ts';
import { plainText, wholeNumber } from '../../shell/host-text.ts';
import { CHECK_SHELL, checkLines } from '../../shell/update-checks.ts';
import { LISTENING, portOf } from '../../state/mounts-and-ports.ts';

/** Where the copies are, readable by root only; the newest three are kept. */
const COPIES = '/var/backups/drover';

/**
 * For `PATCH_FRAME`: what a guarded update does around its work. Its arguments are those of `guardArgs`; without one
 * the update is not guarded. Notes in `$run`: `places` and `without` (paths to copy and to leave out), `checks` (as
 * `CHECK_SHELL` reads them), `guard-before` and `guard-after`: lines `unit NAME` of failed units, `port TABLE SOCKET`,
 * `check NUMBER ok` and `check NUMBER failed WORDS`. In the result these start with `before` or `after`, and `saved
 * DIRECTORY BYTES` says where the copy is.
 */
export const GUARD_FUNCTIONS = `${CHECK_SHELL}${LISTENING}${String.raw`
copies=${COPIES}
observe=-
is_guarded() { [ "$observe" != - ]; }
note_lines() {
  : >"$run/$1"
  file=$1 count=$2
  shift 2
  while [ "$count" -gt 0 ]; do
    printf '%s\n' "$1" >>"$run/$file"
    shift
    count=$((count - 1))
  done
}
guard_notes() {
  [ $# -gt 0 ] || return 0
  observe=$1
  shift
  for each in places without; do
    note_lines "$each" "$@"
    shift $(($1 + 1))
  done
  note_lines checks $# "$@"
}
address_of() { echo 127.0.0.1; }
check_command() {
  shift
  timeout 60 "$@" >"$run/said" 2>&1
}
failed_units() {
  [ -d /run/systemd/system ] && command -v systemctl >/dev/null || return 0
  systemctl list-units --state=failed --plain --no-legend --no-pager --full | awk '$1 !~ /^drover-run-/ { print "unit", $1 }'
}
all_checks() {
  number=0
  while :; do
    next_check
    case $? in
      0) echo "check $number ok" ;;
      2) return ;;
      *) printf 'check %s failed %s\n' "$number" "$(head -c 300 "$run/said" | tr '\n' ' ')" ;;
    esac
    number=$((number + 1))
  done
}
look_at_health() {
  {
    failed_units
    listening | sed 's/^/port /'
    all_checks 4<"$run/checks"
  } >"$run/guard-$1" 2>/dev/null
}
# Copies what the update may break, then notes what is well. Nothing is upgraded without the copy.
guard_begin() {
  copy=$copies/os-patch-${'$'}{run##*/}
  umask 077
  mkdir -p "$copies" || end 16
  set --
  while IFS= read -r path; do
    [ ! -e "$path" ] || set -- "$@" "${'$'}{path#/}"
  done <"$run/places"
  room "$copies" "$(du -sk -- "$@" | awk '{ sum += $1 } END { printf "%.0f", sum * 1024 }')"
  [ -z "$short" ] || end 11
  while IFS= read -r path; do set -- "--exclude=${'$'}{path#/}" "$@"; done <"$run/without"
  echo 'Copying the configuration and the package database.'
  # 1: a file changed meanwhile.
  rm -rf -- "$copy" && mkdir -- "$copy" && { tar -czf "$copy/files.tar.gz" "$@" || [ $? = 1 ]; } && gzip -t "$copy/files.tar.gz" && sync || {
    rm -rf -- "$copy"
    end 16
  }
  ls -1t "$copies" | grep '^os-patch-' | tail -n +4 | while IFS= read -r old; do rm -rf -- "$copies/$old"; done
  umask 022
  look_at_health before
}
# Only roughly: what is reported is compared by Drover.
is_settled() {
  awk 'FILENAME == ARGV[1] { was[$0] = 1; next } { is[$0] = 1 }
    END {
      for (each in was) if (each ~ /^port/ || each ~ /^check [0-9]* ok$/) if (!(each in is)) exit 1
      for (each in is) if (each ~ /^unit/ && !(each in was)) exit 1
    }' "$run/guard-before" "$run/guard-after"
}
guard_observe() {
  [ "$observe" -gt 0 ] || return 0
  echo "Observing the server for $observe s."
  over=$(($(second_now) + observe))
  while [ "$(second_now)" -lt "$over" ] && [ ! -e "$run/stop" ]; do sleep 2; done
}
# Reports what is worse after the work, which ended with "$1": services get half a minute to start.
guard_end() {
  if ! grep -q '^changed ' "$run/told"; then
    rm -rf -- "$copy"
    return
  fi
  [ "$1" != 0 ] || guard_observe
  deadline=$(($(second_now) + 30))
  look_at_health after
  while ! is_settled && [ "$(second_now)" -lt "$deadline" ]; do
    sleep 3
    look_at_health after
  done
  tell saved "$copy" "$(wc -c <"$copy/files.tar.gz")"
  sed 's/^/before /' "$run/guard-before" >>"$run/told"
  sed 's/^/after /' "$run/guard-after" >>"$run/told"
}
`}`;

/**
 * After the run "$1" died or was interrupted by a reboot: ends what is left of it, but waits for its package
 * manager, then finishes and reports what it left. A run that had not noted the state before it changed nothing.
 */
export const RECOVER = String.raw`
of_run() {
  for each in $(ls /proc | grep '^[0-9]*$'); do
    tr '\0' '\n' 2>/dev/null <"/proc/$each/environ" | grep -qxF "DROVER_RUN=$old" || continue
    "$@" || return 1
  done
}
kill_script() {
  ! tr '\0' '\n' 2>/dev/null <"/proc/$each/cmdline" | grep -qxF "$old/script" || kill -KILL "$each" 2>/dev/null || :
}
is_no_manager() { ! grep -qE '^(apt|dpkg|dnf|yum|rpm|zypper|pacman|apk)' "/proc/$each/comm" 2>/dev/null; }
recover() {
  old=${'$'}{run%/*}/$1
  copy=$copies/os-patch-$1
  of_run kill_script
  attempt=0
  until of_run is_no_manager; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 900 ] || exit 18
    sleep 2
  done
  observe=0
  if [ -s "$old/guard-before" ]; then guarded=1; else rm -rf -- "$copy"; fi
  [ -e "$old/conf" ] || exit 18
  for each in before conf checks guard-before plan upgrades; do
    [ ! -f "$old/$each" ] || cp -- "$old/$each" "$run/$each" || exit 18
  done
  pm_finish
  end 17
}
`;

/** What `guard_notes` takes. */
export const guardArgs = (guard: PatchGuardOrder | undefined): readonly string[] =>
  guard === undefined
    ? []
    : [
        String(guard.observeSeconds),
        String(guard.places.length),
        ...guard.places,
        String(guard.without.length),
        ...guard.without,
        ...guard.checks.flatMap((check) => checkLines(check, '-')),
      ];

/** Of each kind; the rest is left out. Each of one time is looked for in those of the other. */
const MAX_READ = 5_000;

class HealthReader implements HostHealth {
  readonly failedUnits: string[] = [];
  readonly ports: HostHealth['ports'][number][] = [];
  readonly checks: HostHealth['checks'][number][] = [];

  /** A line `unit NAME`, `port TABLE SOCKET` or `check NUMBER RESULT`; others are left alone. */
  read(line: string): void {
    const blank = line.indexOf(' ');
    const rest = line.slice(blank + 1);
    switch (line.slice(0, blank)) {
      case 'unit':
        add(this.failedUnits, plainText(rest) ?? '');
        break;
      case 'port': {
        const port = portOf(rest);
        if (port !== null) add(this.ports, port);
        break;
      }
      case 'check': {
        const [, ok, words = ''] = /^\d+ (?:(ok)|failed ?(.*))$/.exec(rest) ?? [];
        add(this.checks, ok ? null : (plainText(words, 300) ?? ''));
        break;
      }
      default:
    }
  }
}

function add<T>(list: T[], item: T): void {
  if (list.length < MAX_READ) list.push(item);
}

/** Reads the lines of a guarded update's result; others are left alone. */
export class GuardReader {
  #saved: GuardReport['saved'] | null = null;
  readonly #before = new HealthReader();
  readonly #after = new HealthReader();

  /** A line `KEY REST`. */
  read(key: string, rest: string): void {
    if (key === 'before') this.#before.read(rest);
    if (key === 'after') this.#after.read(rest);
    if (key !== 'saved') return;
    const [path, bytes] = rest.split(' ');
    this.#saved = { path: plainText(path) ?? '', bytes: wholeNumber(bytes) ?? 0 };
  }

  /** `null` of an update that was not guarded, or changed nothing. */
  get report(): GuardReport | null {
    if (this.#saved === null) return null;
    return { saved: this.#saved, before: this.#before, after: this.#after };
  }
}
