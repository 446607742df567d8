import { FORBIDDEN_ROOTS } from '../../../domain/jail-directory.ts';

/**
 * What runs on a host, as the account that logs in. POSIX sh (tried with dash, bash, busybox, mksh and zsh) and GNU
 * coreutils: dd that can open without following a link and without waiting for a FIFO is nowhere else.
 *
 * A directory is held on to by being the working directory. First the shell goes there, wherever that leads; then it asks
 * the kernel where it is, and goes on only where that is the jail and the very names that were asked for. From then on
 * everything is named "./NAME", which no change above it can lead elsewhere, with calls that follow no link.
 *
 * "$1" is a random mark that begins every line of ours; "$2" the jail; "$3" a directory in it; "$4" a name in that.
 * Lines are "MARK WORD [VALUE…]". What went wrong in a tool's own words is on standard error, in English (LC_ALL=C).
 */
const ENTER = String.raw`
mark=$1 jail=$2 dir=$3 name=$4
shift 4
unset CDPATH
say() {
  printf '%s %s\n' "$mark" "$*"
  exit 0
}
why_not() {
  place=. rest=$dir
  while [ "$rest" ]; do
    place=$place/${'$'}{rest%%/*}
    [ -L "$place" ] && say link
    [ -e "$place" ] || say missing
    [ -d "$place" ] || say not-directory
    [ -x "$place" ] || say denied
    case $rest in */*) rest=${'$'}{rest#*/} ;; *) rest= ;; esac
  done
  say moved
}
cd -P -- "$jail" 2>/dev/null || say jail-missing
root=$PWD
case $root in
  ${forbidden()}) say jail-forbidden "$root" ;;
esac
here=$root
if [ "$dir" ]; then
  cd -P -- "./$dir" 2>/dev/null || why_not
  here=$root/$dir
fi
[ "$(/bin/pwd -P; echo .)" = "$here
." ] || {
  [ -x /bin/pwd ] || say tool pwd
  cd -P -- "$root" 2>/dev/null && why_not
  say moved
}
absent() {
  command -v stat >/dev/null || say tool stat
  [ -x . ] || say denied
  say missing
}
plain() {
  case $1 in
    8???) ;;
    4???) say directory ;;
    a???) say link ;;
    *) say special ;;
  esac
  [ "$2" = 1 ] || say several-names
}
`;

/** Where a jail may not really be, as the domain says, for `case`. */
function forbidden(): string {
  const roots = FORBIDDEN_ROOTS.flatMap((root) => [root, `${root}/*`]);
  const above = FORBIDDEN_ROOTS.flatMap((root) => {
    const parts = root.split('/').slice(1, -1);
    return parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`);
  });
  return ['/', ...above, ...roots, '*/.ssh', '*/.ssh/*', '*[[:cntrl:]]*'].join(' | ');
}

/**
 * "$1": how many entries at most. Mode, size, time and name of each that is still there, closed by a NUL; first those of
 * the directory itself, without which stat is not the one that is needed.
 */
export const LIST = String.raw`${ENTER}
[ -r . ] || say denied
most=$1
ulimit -v 262144 2>/dev/null
set -- ./..?* ./.[!.]* ./*
# of the three patterns each stands for itself where nothing matches it
if [ $# -gt $((most + 3)) ]; then
  each=1 first=
  while [ $each -le $((most + 3)) ]; do
    first="$first "'"$''{'"$each"'}"'
    each=$((each + 1))
  done
  eval "set -- $first"
fi
printf '%s entries\n' "$mark"
stat --printf='%f %s %.3Y %n\0' -- . "$@" 2>/dev/null
printf '%s end\n' "$mark"
`;

export const STAT = String.raw`${ENTER}
[ "$name" ] || name=.
set -- $(stat -c '%f %s %.3Y' -- "./$name" 2>/dev/null)
[ $# -eq 3 ] || absent
say entry "$@"
`;

const OPEN_DD =
  'dd if="./$name" iflag=nofollow,nonblock,fullblock,skip_bytes,count_bytes bs=65536 status=none';

/** "$1": offset, "$2": how many bytes at most. The content stands between two lines. */
export const READ = String.raw`${ENTER}
offset=$1 length=$2
facts=$(stat -c '%f %h %s %i %d' -- "./$name" 2>/dev/null) || absent
set -- $facts
plain "$1" "$2"
printf '%s file %s\n' "$mark" "$3"
code=0
if [ "$offset" -lt "$3" ]; then
  ${OPEN_DD} skip="$offset" count="$length"
  code=$?
  set -- $(stat -c '%i %d %h' -- "./$name" 2>/dev/null) $facts
  [ "$1 $2 $3" = "$7 $8 1" ] || code=moved
fi
printf '\n%s end %s\n' "$mark" "$code"
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

export const MAKE_DIRECTORY = String.raw`${ENTER}
mkdir -- "./$name" || say failed
say done
`;

/** "$1": the other name. mv takes renameat2(2)'s word that nothing is replaced, where there is that. */
export const RENAME = String.raw`${ENTER}
to=$1
[ -e "./$name" ] || [ -L "./$name" ] || absent
[ -e "./$to" ] || [ -L "./$to" ] && say exists
mv -nT -- "./$name" "./$to"
code=$?
if [ -e "./$name" ] || [ -L "./$name" ]; then
  [ -e "./$to" ] || [ -L "./$to" ] && say exists
  say failed
fi
[ $code = 0 ] || say failed
say done
`;

export const REMOVE = String.raw`${ENTER}
set -- $(stat -c '%f %s %.3Y' -- "./$name" 2>/dev/null)
[ $# -eq 3 ] || absent
case $1 in
  4???) rmdir -- "./$name" || say failed ;;
  8??? | a???) unlink "./$name" || say failed ;;
  *) say special ;;
esac
say entry "$@"
`;

/**
 * "$1": `any`, `absent` or a hash; "$2": the size up to which a former file is hashed. Standard input: a line of 32 random
 * hex digits; pieces, each a line "more COUNT" (the last one "last COUNT") and so many bytes. Without a last piece nothing
 * is put in place: a connection that is cut ends the input early.
 *
 * The new content goes through a descriptor that the shell opened on a file that was not there (noclobber), and owner and
 * mode are set through that descriptor, so that nothing put in the file's place meanwhile is written to or changed.
 */
export const WRITE = String.raw`${ENTER}
expect=$1 most=$2
FACTS='%f %h %s %u %g %i %d %.9Y %.9Z'
IFS= read -r random || say cut
born() {
  { read -r x x x x x x x x x x x x x x x x x x x x x born x <"/proc/$1/stat"; } 2>/dev/null
}
boot= born= space=$(readlink /proc/self/ns/pid)
{ read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
space=${'$'}{space#pid:?} space=${'$'}{space%?}
born $$
[ "$boot" ] && [ "$born" ] && [ "$space" ] || say no-proc
part=./.drover-$boot.$space.$$.$born.$random.part

abandoned() {
  writer=$(expr "$1" : '\./\.drover-\([0-9a-f]\{8\}-[0-9a-f-]\{27\}\.[0-9]\{1,\}\.[0-9]\{1,\}\.[0-9]\{1,\}\)\.[0-9a-f]\{32\}\.part$') || return 1
  if [ "${'$'}{writer%.*.*}" = "$boot.$space" ]; then
    writer=${'$'}{writer#"$boot.$space".} born=
    born "${'$'}{writer%.*}"
    [ "$born" = "${'$'}{writer#*.}" ] || return 0
  fi
  changed=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $(($(date +%s) - changed)) -ge 600 ]
}
for each in ./.drover-*.part; do
  [ -f "$each" ] && [ ! -L "$each" ] && [ -O "$each" ] && abandoned "$each" && unlink "$each"
done

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
