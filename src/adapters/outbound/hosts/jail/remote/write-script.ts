import { ENTER, OPEN_DD } from './enter.ts';

/**
 * Finds leftovers of interrupted writes in the shell's directory (see part-name.ts), removes those whose writer is
 * dead or that were not modified for ten minutes, and counts the others in "$staying".
 */
export const PARTS = String.raw`
born() {
  { read -r x x x x x x x x x x x x x x x x x x x x x born x <"/proc/$1/stat"; } 2>/dev/null
}
know_place() {
  boot= born= space=$(readlink /proc/self/ns/pid)
  { read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
  space=${'$'}{space#pid:?} space=${'$'}{space%?}
}
abandoned() {
  writer=$(expr "$1" : '\./\.drover-\([0-9a-f]\{8\}-[0-9a-f-]\{27\}\.[0-9]\{1,\}\.[0-9]\{1,\}\.[0-9]\{1,\}\)\.[0-9a-f]\{32\}\.part$') || return 1
  staying=$((staying + 1))
  if [ "${'$'}{writer%.*.*}" = "$boot.$space" ]; then
    writer=${'$'}{writer#"$boot.$space".} born=
    born "${'$'}{writer%.*}"
    [ "$born" = "${'$'}{writer#*.}" ] || return 0
  fi
  changed=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $(($(date +%s) - changed)) -ge 600 ]
}
sweep() {
  staying=0
  for each in ./.drover-*.part; do
    [ -f "$each" ] && [ ! -L "$each" ] && [ -O "$each" ] && abandoned "$each" &&
      unlink "$each" && staying=$((staying - 1))
  done
}
`;

/** "$1": how many bytes at most. After the line with size and hash comes the content, and nothing else. */
export const STREAM = String.raw`${ENTER}
most=$1
set -- $(stat -c '%f %h %s' -- "./$name" 2>/dev/null)
[ $# -eq 3 ] || absent
plain "$1" "$2"
size=$3
[ "$size" -le "$most" ] || say too-large
set -- $({ { ${OPEN_DD} count="$size"; echo "$?" >&5; } | sha256sum; } 5>&1)
[ "$1" = 0 ] || say failed
set -- "$2" $(stat -c '%f %h' -- "./$name" 2>/dev/null)
plain "$2" "$3"
printf '%s file %s %s\n' "$mark" "$size" "$1"
exec ${OPEN_DD} count="$size"
`;

/**
 * "$1": `any`, `absent` or a hash; "$2": the size up to which a previous file is hashed. Standard input: a line of 32
 * random hex digits; pieces, each a line "more COUNT" (the last one "last COUNT") and that many bytes. Without a last
 * piece the file is not replaced: a lost connection ends the input early.
 * The new content goes through a descriptor that the shell opened on a new file (noclobber), and owner and mode are
 *  set through that descriptor, so that nothing that replaces the file in the meantime is written to or changed.
 * The existing file is compared and replaced while the directory is locked (flock, if the host has it), so that no
 *  other write comes between, whichever service it is from.
 */
export const WRITE = String.raw`${ENTER}
expect=$1 most=$2
FACTS='%f %h %s %u %g %i %d %.9Y %.9Z'
IFS= read -r random || say cut
${PARTS}know_place
born $$
[ "$boot" ] && [ "$born" ] && [ "$space" ] || say no-proc
part=./.drover-$boot.$space.$$.$born.$random.part

sweep

look() {
  facts=$(stat -c "$FACTS" -- "./$name" 2>/dev/null) || facts=
  [ "$facts" ] || { command -v stat >/dev/null || say tool stat; return 1; }
  set -- $facts
  plain "$1" "$2"
  [ $((0x$1 & 0xe00)) = 0 ] || say special-mode
  [ "$expect" = absent ] && say exists
  return 0
}
[ -w . ] && [ -x . ] || say denied
look && umask 077
trap 'rm -f -- "$part"' EXIT
trap 'exit 1' HUP INT PIPE TERM
set -C
command exec 4>"$part" || say failed
set +C

total=0 more=more
while [ "$more" = more ]; do
  read -r more count || say cut
  case $count in '' | *[!0-9]*) say cut ;; esac
  case $more in more) sync= ;; last) sync=,fsync ;; *) say cut ;; esac
  dd bs=65536 count="$count" iflag=fullblock,count_bytes conv=notrunc$sync status=none >&4 || say failed
  total=$((total + count))
done
set -- $(stat -L -c '%s %u %g %f %i %d' /proc/self/fd/4 4>&4)
[ $# -eq 6 ] || say no-proc
[ "$1" = "$total" ] || say cut
owner=$2:$3 mode=$((0x$4 & 0x1ff)) inode="$5 $6"

put() {
  set -- $(stat -c '%f %h %i %d' -- "$part" 2>/dev/null)
  case $1 in 8???) ;; *) say moved ;; esac
  [ "$2 $3 $4" = "1 $inode" ] || say moved
  mv "-$how" -- "$part" "./$name"
  code=$?
  if [ -e "$part" ] || [ $code != 0 ]; then
    [ $how = nT ] && [ -e "./$name" ] && say exists
    say failed
  fi
  trap - EXIT
  sync . 2>/dev/null
  say written "$total" "$before"
}
{ command exec 9<.; } 2>/dev/null && command -v flock >/dev/null && {
  flock -w 10 9 2>/dev/null
  [ $? = 1 ] && [ "$expect" != any ] && say locked
}
looks=0
while [ $looks -lt 5 ]; do
  looks=$((looks + 1))
  if ! look; then
    how=fT before=new
    case $expect in any) ;; absent) how=nT ;; *) say changed ;; esac
    put
  fi
  set -- $facts
  before="$3 -"
  if [ "$3" -le "$most" ] || [ "$expect" != any ]; then
    set -- $({ { ${OPEN_DD} count="$3"; echo "$?" >&5; } | sha256sum; } 5>&1) $facts
    [ "$1" = 0 ] || say failed
    before="$6 $2"
    [ "$expect" = any ] || [ "$expect" = "$2" ] || say changed
    shift 3
  fi
  if [ "$owner" != "$4:$5" ]; then
    chown "$4:$5" /proc/self/fd/4 4>&4 2>/dev/null || say not-kept
    owner=$4:$5 mode=
  fi
  if [ "$mode" != $((0x$1 & 0x1ff)) ]; then
    mode=$((0x$1 & 0x1ff))
    chmod "$(printf %o "$mode")" /proc/self/fd/4 4>&4 2>/dev/null || say not-kept
  fi
  how=fT seen=$facts
  facts=$(stat -c "$FACTS" -- "./$name" 2>/dev/null)
  [ "$facts" = "$seen" ] && put
done
[ "$expect" = any ] || say changed
say busy
`;
