/**
 * Shell: enters a directory below "$1" by the names in "$2", and with "$3" `make` creates missing ones; fails at a
 * link. A container may write to directories of its project: what it creates there must not lead root elsewhere. From
 * there on the caller uses `./name`, whatever happens to the path afterwards.
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
