/**
 * Shell: goes to a directory below "$1" by the names in "$2", where "$3" is `make` also by such that are missing; fails
 * where a link is on the way. A container may write into directories of its project: what it puts there must not lead
 * root elsewhere. Whoever is there works on `./name`, whatever becomes of the way afterwards.
 */
export const ENTER_SHELL = String.raw`
enter() {
  cd -P -- "$1" 2>/dev/null || return 1
  at=$(pwd -P)
  rest=$2
  while [ -n "$rest" ]; do
    part=${'$'}{rest%%/*}
    case $rest in */*) rest=${'$'}{rest#*/} ;; *) rest= ;; esac
    if [ "$3" = make ] && ! [ -e "./$part" ] && ! [ -L "./$part" ]; then mkdir -- "./$part" || return 1; fi
    ! [ -L "./$part" ] && cd -P -- "./$part" 2>/dev/null || return 1
    at=$at/$part
    [ "$(pwd -P)" = "$at" ] || return 1
  done
}
# The directory in a name, and the name in that.
parent() { case $1 in */*) printf '%s' "${'$'}{1%/*}" ;; esac; }
`;
