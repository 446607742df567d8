import { MAX_UPDATES, type PendingUpdate } from '../../../../../domain/fleet/inventory.ts';
import { firstLines } from '../../shell/host-lines.ts';
import type { Sections } from '../../shell/marked-sections.ts';
import { listedUpdate } from '../listed-update.ts';
import { WATCH_REFRESH } from '../refresh.ts';
import type { Family } from '../shell-package-manager.ts';

export const PACMAN_LISTING = String.raw`
pacman_listing() {
  section packages-count 20 pacman_count
  section pacman-updates 1000000 pacman_updates
}
pacman_count() { limit 20 pacman -Qq | grep -c .; }
pacman_updates() { limit 30 pacman -Qu 2>&1; }
`;

/** `linux 6.9.1.arch1-1 -> 6.9.2.arch1-1`, with ` [ignored]` behind it for one that pacman.conf holds. */
const UPDATE = /^(\S{1,200}) (\S{1,200}) -> (\S{1,200})( \[ignored\])?/;

/**
 * `null` if there is no repository database. pacman ends with 1 if no updates are pending; it knows nothing of
 * security.
 */
export function readPacmanUpdates(sections: Sections): readonly PendingUpdate[] | null {
  const section = sections.get('pacman-updates');
  if (!section || section.exitCode > 1) return null;
  const lines = Array.from(firstLines(section.text, 2 * MAX_UPDATES));
  const updates = lines.flatMap((line) => {
    const [, name, from, to, ignored] = UPDATE.exec(line) ?? [];
    return listedUpdate({ name, from, to, held: ignored !== undefined });
  });
  const withoutDatabase = lines.some((line) => /^(warning|error): /.test(line));
  return updates.length === 0 && withoutDatabase ? null : updates.slice(0, MAX_UPDATES);
}

/**
 * A plan is the output of `--print`, which takes no lock; it lacks packages that a new one replaces, which come from
 * the databases. pacman stops at the first database that fails, so that others may not have been refreshed. Databases
 * stay the same between a plan and its application, so the versions need not be named.
 */
const PACMAN_SHELL = String.raw`
pm_conf_names='\.(pacnew|pacsave|pacorig)$'
pm_there() { command -v pacman >/dev/null; }
pacman_hold=
pm_hold() { pacman_hold="--ignore=$(held_list)"; }
run_pacman() { pacman --noconfirm --noprogressbar --color never "$@" </dev/null; }
pacman_verb() { if full_upgrade_asked; then echo -Suu; else echo -Su; fi; }
pm_versions() { pacman -Q 2>/dev/null; }
pm_plan_upgrade() {
  targets=$(run_pacman "$(pacman_verb)" $pacman_hold --print --print-format '%n %v' 2>&1) || { printf '%s\n' "$targets"; return 1; }
  { pm_versions; echo '== targets'; printf '%s\n' "$targets"; } | awk '
    /^== / { part = 1; next }
    !part { installed[$1] = $2; next }
    NF != 2 || /^(::|warning:|error:)/ || $1 !~ /^[a-z0-9@_+][a-zA-Z0-9@._+-]*$/ { next }
    { if ($1 in installed) print "upgrade", $1, installed[$1], $2, 0; else print "install", $1, "-", $2, 0 }'
  new=$({ pm_versions; echo '== targets'; printf '%s\n' "$targets"; } |
    awk '/^== / { part = 1; next } !part { installed[$1] = 1; next } NF == 2 && !($1 in installed) && !/^(::|warning:|error:)/ { print $1 }')
  [ -z "$new" ] || { pm_versions; echo '== replaced'; pacman -Si $new 2>/dev/null | sed -n 's/^Replaces *: *//p'; } | awk '
    /^== / { part = 1; next }
    !part { installed[$1] = $2; next }
    { for (i = 1; i <= NF; i++) { sub(/[<>=].*/, "", $i); if ($i in installed) { print "remove", $i, installed[$i], "-", 0; delete installed[$i] } } }'
}
pm_plan_autoremove() {
  orphans=$(pacman -Qdtq 2>/dev/null)
  [ -n "$orphans" ] || return 0
  leaving=$(run_pacman -Rs --print --print-format '%n %v' $orphans 2>&1) || { printf '%s\n' "$leaving"; return 1; }
  printf '%s\n' "$leaving" | awk 'NF == 2 && !/^(::|warning:|error:)/ { print "remove", $1, $2, "-", 0 }'
}
# Beside the databases, and then moved over them: a pacman that is ended leaves its lock where it is.
fetch_databases() {
  db=$(pacman-conf DBPath)
  db=${'$'}{db%/}
  [ ! -e "$db/db.lck" ] || { echo "error: could not lock database: $db/db.lck is there"; return 1; }
  find /tmp -maxdepth 1 -name 'drover-pacman.*' -mmin +60 -exec rm -rf {} + 2>/dev/null
  fresh=$(mktemp -d /tmp/drover-pacman.XXXXXX) && chmod 755 "$fresh" && mkdir -p "$db/sync" || return
  ln -s "$db/local" "$fresh/local" && cp -a "$db/sync" "$fresh/sync" || return
  run_pacman -Sy --dbpath "$fresh" --logfile /dev/null 2>&1
  fetched=$?
  ls "$fresh/sync" | grep -E '\.(db|sig|files)$' | while IFS= read -r file; do
    cp -p "$fresh/sync/$file" "$db/sync/.$file" && mv "$db/sync/.$file" "$db/sync/$file"
  done
  rm -rf "$fresh"
  return "$fetched"
}
pm_refresh() {
  {
    fetch_databases
    echo "ended $?"
  } | watch_refresh 0 "s/^error: failed retrieving file '\([^']*\)\.db[^']*' from .*/\1/p" \
    's/^ \([^ ]*\) \(downloading\.\.\.\|is up to date\)$/\1/p'
}
pm_lock_words() { grep -E 'unable to lock database|could not lock database' | head -n 1; }
pm_began() { grep -qE '^:: Processing package changes'; }
pm_upgrade() { run_pacman "$(pacman_verb)" $pacman_hold; }
pm_autoremove() {
  set -- $(awk '$1 == "remove" { print $2 }' "$run/removals")
  if [ "$wanted" = - ]; then set -- $(pm_plan_autoremove | awk '$1 == "remove" { print $2 }'); fi
  [ $# -gt 0 ] || return 0
  run_pacman -R "$@"
}
pm_room() {
  download=$(run_pacman "$(pacman_verb)" $pacman_hold --print --print-format '%s' 2>/dev/null | awk '/^[0-9]+$/ { sum += $1 } END { printf "%.0f", sum }')
  room /var/cache "$download"
  room /usr 0
  room /var/lib 0
}
pm_finish() { :; }
# pacman goes on where a package's script fails, and ends well; what it was at is in the line before.
pm_broken() {
  awk '/^(upgrading|installing|removing|reinstalling|downgrading) [^ ]+\.\.\.$/ { name = $2; sub(/\.\.\.$/, "", name) }
    /^error: command failed to execute correctly|^error: problem occurred while/ { if (name != "") print "failed", name }'
}
pm_audit() { pm_broken <"$run/log" | sed 's/^failed/audit/'; }
`;

/** Arch Linux and its relatives. */
export const PACMAN: Family = {
  family: 'arch',
  shell: `${WATCH_REFRESH}${PACMAN_SHELL}`,
  listing: `${PACMAN_LISTING}pm_listing() { pacman_listing; }\n`,
  readUpdates: readPacmanUpdates,
  fault: /^error: failed retrieving file '(?<source>[^']+)\.db[^']*' from \S+ : (?<reason>.*)$/,
  remedies: {
    tool: 'pacman',
    lock: 'ps -e | grep pacman; if none runs, remove /var/lib/pacman/db.lck',
    space: 'free some space (paccache -r, pacman -Sc) and start again.',
    broken:
      'Read the log of the job and fix the package on the host; "pacman -Qk" there shows what is missing.',
    failed: 'Read the log of the job, and run "pacman -Su" on the host.',
  },
};
