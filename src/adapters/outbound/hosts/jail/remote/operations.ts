import { FUNCTIONS, OPEN_DD } from './enter.ts';
import { PARTS } from './write-script.ts';

/**
 * "$1": the maximum number of entries. Mode, size, time and name of each existing one, NUL-terminated; first those of
 * the directory itself, which shows that stat is the required one.
 */
const LIST = String.raw`
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

const STAT = String.raw`
[ "$name" ] || name=.
set -- $(stat -c '%f %s %.3Y' -- "./$name" 2>/dev/null)
[ $# -eq 3 ] || absent
say entry "$@"
`;

/** "$1": offset, "$2": maximum number of bytes. The content is between two lines. */
const READ = String.raw`
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

const MAKE_DIRECTORY = String.raw`
mkdir -- "./$name" || say failed
say done
`;

/**
 * "$1": the other name. mv uses renameat2(2) without replacement if available. If a file system cannot rename a
 * directory (overlayfs), mv would copy it, by names that could change in the meantime; it cannot if no file may have
 * content.
 */
const RENAME = String.raw`
to=$1
[ -e "./$name" ] || [ -L "./$name" ] || absent
[ -e "./$to" ] || [ -L "./$to" ] && say exists
ulimit -f 0
mv -nT -- "./$name" "./$to"
code=$?
[ $code -lt 128 ] || say not-renamed
if [ -e "./$name" ] || [ -L "./$name" ]; then
  [ -e "./$to" ] || [ -L "./$to" ] && say exists
  say failed
fi
[ $code = 0 ] || say failed
say done
`;

const REMOVE = String.raw`
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
 * "$1": the other permissions, in octal without set-id bits. Refused unless the descriptor is on the checked file.
 */
const CHANGE_MODE = String.raw`
mode=$1
set -- $(stat -c '%f %h %i %d' -- "./$name" 2>/dev/null)
[ $# -eq 4 ] || absent
former=$1
case $1 in
  4???)
    cd -P -- "./$name" 2>/dev/null || say denied
    is_here "${'$'}{here%/}/$name" || say moved
    chmod "$(printf %o $((0x$former & 0xe00 | 0$mode)))" . || say failed
    ;;
  *)
    plain "$1" "$2"
    [ $((0x$1 & 0xe00)) = 0 ] || say special-mode
    command exec 4<"./$name" || say denied
    opened=$(stat -L -c '%f %h %i %d' /proc/self/fd/4 4<&4)
    [ "$opened" = "$*" ] && [ "$(stat -c '%f %h %i %d' -- "./$name" 2>/dev/null)" = "$*" ] || say moved
    chmod "$mode" /proc/self/fd/4 4<&4 || say failed
    ;;
esac
say mode "$((0x$former & 0xfff))"
`;

/** A directory with all contents. Every entered directory is verified to be in place, or skipped. */
const REMOVE_TREE = String.raw`
device=$(stat -c %d .)
set -- $(stat -c '%f %d' -- "./$name" 2>/dev/null)
[ $# -eq 2 ] || absent
case $1 in
  4???) ;;
  a???) say link ;;
  *) say not-directory ;;
esac
[ "$2" = "$device" ] || say mounted
empty() {
  [ ${'$'}{#here} -lt 4000 ] || exit 5
  set -- ./..?* ./.[!.]* ./*
  for each; do
    if [ -d "$each" ] && [ ! -L "$each" ]; then
      (
        cd -P -- "$each" 2>/dev/null || exit 1
        here=${'$'}{here%/}/${'$'}{each#./}
        is_here "$here" || exit 3
        [ "$(stat -c %d .)" = "$device" ] || exit 4
        empty
      ) || exit
      rmdir -- "$each" || exit 1
    elif [ -e "$each" ] || [ -L "$each" ]; then
      unlink "$each" || exit 1
    fi
  done
}
(
  cd -P -- "./$name" || exit 1
  here=${'$'}{here%/}/$name
  is_here "$here" || exit 3
  empty
)
case $? in
  0) ;;
  3) say moved ;;
  4) say mounted ;;
  5) say too-deep ;;
  *) say failed ;;
esac
rmdir -- "./$name" || say failed
say done
`;

/**
 * Runs one operation after another while it has input; each in a new shell, so that no state remains. A call is seven
 * lines: the operation, the mark, the file root, a directory in it, a name in that, and two more values. Its output
 * ends with a separate line on both streams.
 */
export const OPERATIONS = String.raw`${FUNCTIONS}
do_list() {
${LIST}
}
do_stat() {
${STAT}
}
do_read() {
${READ}
}
do_mkdir() {
${MAKE_DIRECTORY}
}
do_rename() {
${RENAME}
}
do_remove() {
${REMOVE}
}
do_chmod() {
${CHANGE_MODE}
}
do_remove_tree() {
${REMOVE_TREE}
}
${PARTS}
do_sweep() {
  know_place
  sweep
  say swept "$staying"
}
get() {
  IFS= read -r "$1"
}
while get what && get mark && get jail && get dir && get name && get one && get two; do
  (enter; "do_$what" "$one" "$two") </dev/null
  printf '\n%s over\n' "$mark"
  printf '\n%s over\n' "$mark" >&2
done
`;

export type Operation =
  | 'list'
  | 'stat'
  | 'read'
  | 'mkdir'
  | 'rename'
  | 'remove'
  | 'chmod'
  | 'remove_tree'
  | 'sweep';
