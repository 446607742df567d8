import { ENTER } from './enter.ts';

/** What a program can be given at once has a limit; of a larger directory a part is told. */
const MAX_NAMES = 4_000;

/**
 * After its first line this prints records, each closed by a NUL: "D" and the path of a directory that was entered, or come
 * back to (empty, or with a slash at its end); "E", raw mode, size, time and name of each of its entries; "L" and the name of a link, then
 * a record of its own with where it points and a dot; "P" where a part was left out; and last "Z" with the mark.
 */
export const TREE = String.raw`${ENTER}
[ -r . ] || say denied
command -v stat >/dev/null || say tool stat
device=$(stat -c %d .) at=
printf '%s tree\n' "$mark"
look() {
  printf 'D%s\0' "$at"
  [ -r . ] && [ ${'$'}{#at} -lt 3000 ] || { printf 'P\0'; return; }
  set -- ./..?* ./.[!.]* ./*
  [ $# -le ${MAX_NAMES} ] || { printf 'P\0'; return; }
  stat --printf='E%f %s %.3Y %n\0' -- "$@" 2>/dev/null
  for each; do
    if [ -L "$each" ]; then
      printf 'L%s\0%s\0' "$each" "$(readlink -- "$each"; echo .)"
    elif [ -d "$each" ]; then
      (
        cd -P -- "$each" 2>/dev/null || { printf 'P\0'; exit; }
        here=${'$'}{here%/}/${'$'}{each#./}
        is_here "$here" && [ "$(stat -c %d .)" = "$device" ] || { printf 'P\0'; exit; }
        at=$at${'$'}{each#./}/
        look
      )
      printf 'D%s\0' "$at"
    fi
  done
}
look
printf 'Z%s\0' "$mark"
`;
