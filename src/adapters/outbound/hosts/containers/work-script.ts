import { GUARD_SHELL } from './guard-shell.ts';
import { PATCH } from './patch-shell.ts';
import { WORK_SHELL } from './work-shell.ts';

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

/** Exit codes of the work; any other is a fault on the host. */
export const WORK_EXIT = {
  done: 0,
  drifted: 12,
  failed: 14,
  rollbackFailed: 15,
  invalid: 16,
  nothingAsked: 17,
  toolMissing: 127,
} as const;

/**
 * Acts on one project. After engine and verb: 1 to prune, the id of staged files or "-", directory, name or "-", the
 * number of config files, these, the number of services, these, the number of images, and for each: image and name to
 * pull.
 */
const STACK = String.raw`
take_stack() {
  pruning=$1 staged=$2 dir=$3 name=$4 count=$5
  shift 5
  : >"$run/files"
  while [ "$count" -gt 0 ]; do
    printf '%s\n' "$1" >>"$run/files" || unnoted
    shift
    count=$((count - 1))
  done
  count=$1
  shift
  : >"$run/wanted"
  while [ "$count" -gt 0 ]; do
    printf '%s\n' "$1" >>"$run/wanted" || unnoted
    shift
    count=$((count - 1))
  done
  count=$1
  shift
  : >"$run/images"
  while [ "$count" -gt 0 ]; do
    printf '%s %s\n' "$1" "$2" >>"$run/images" || unnoted
    shift 2
    count=$((count - 1))
  done
}
wanted() { cat "$run/wanted"; }
# Puts a file of ours into the directory where we are: under a name that nobody has, opened by no link, then in its place.
put() {
  new=./.drover-new.$$
  rm -f -- "$new"
  (
    if [ "$(stat -c %a -- "$1")" = 600 ]; then umask 077; fi
    set -C
    cat -- "$1" >"$new"
  ) && mv -fT -- "$new" "./$2"
}
# Writes one staged file, and keeps what it replaces.
write_file() {
  enter "$dir" "$(parent "$1")" make || { echo "A link is on the way to $1."; return 1; }
  base=${'$'}{1##*/}
  if [ -e "./$base" ] || [ -L "./$base" ]; then
    cp -pP -- "./$base" "$run/former/$1" || return 1
  else
    printf '%s\n' "$1" >>"$run/new" || return 1
  fi
  put "$from/$1" "$base"
}
file_back() {
  enter "$dir" "$(parent "$1")" || return 1
  old=./.drover-old.$$
  rm -f -- "$old"
  cp -pP -- "$run/former/$1" "$old" && mv -fT -- "$old" "./${'$'}{1##*/}"
}
file_away() { enter "$dir" "$(parent "$1")" && rm -f -- "./${'$'}{1##*/}"; }
# Puts staged files where they belong; what they replace is kept, and what was not there is noted.
write_files() {
  from=$HOME/.drover/stage/$staged
  [ -d "$from" ] || { echo 'What was staged is gone.'; return 1; }
  mkdir -p "$dir" "$run/former" || return 1
  : >"$run/new"
  (cd "$from" && find . -type f) | sed 's/^\.\///' >"$run/names" || return 1
  while IFS= read -r file; do
    mkdir -p "$run/former/$(parent "$file")" || return 1
    (write_file "$file") || return 1
    echo "Wrote $file"
  done <"$run/names"
}
files_back() {
  [ "$staged" != - ] && [ -d "$run/former" ] || return 0
  (cd "$run/former" && find . -type f -o -type l) | while IFS= read -r file; do
    (file_back "${'$'}{file#./}")
  done
  while IFS= read -r file; do (file_away "$file"); done <"$run/new"
  echo 'The previous files are restored.'
}
# What runs is checked against what is asked, service by service.
up() {
  set -- up -d "$@"
  if [ -s "$run/wanted" ]; then while IFS= read -r service; do set -- "$@" "$service"; done <"$run/wanted"; else
    set -- "$@" --remove-orphans
  fi
  compose "$@"
}
stop_again() {
  awk '$4 == "false" { print $1 }' "$run/before" | sort -u | while IFS= read -r service; do compose stop "$service"; done
}
deploy() {
  begin_project
  tell project 0 "$dir"
  if [ "$staged" = - ] && ! [ -d "$dir" ]; then
    tell state 0 failed
    tell why 0 - directory -
    end 14
  fi
  fresh_dir=
  [ -d "$dir" ] || fresh_dir=1
  if ! remember; then
    tell state 0 failed
    tell why 0 - notes -
    end 14
  fi
  if [ "$staged" != - ] && ! write_files; then
    files_back
    tell state 0 failed
    tell why 0 - files -
    end 14
  fi
  if ! compose config -q >"$run/said" 2>&1; then
    cat "$run/said"
    files_back
    tell state 0 failed
    tell invalid "$(tail -n 1 "$run/said" | head -c 500)"
    end 16
  fi
  while read -r image pulled; do
    if ! pull "$image" "$pulled"; then
      tags_back
      drop_fresh
      files_back
      tell state 0 failed
      tell why 0 "$image" pull -
      end 14
    fi
  done <"$run/images"
  sick=
  if up --pull missing && healthy $(wanted); then
    tell state 0 done
    awk '{ print $2 }' "$run/before" >"$run/replaced"
    [ "$pruning" = 0 ] || prune
    end 0
  fi
  tell why 0 ${'$'}{sick:-- compose -}
  echo 'Rolling back.'
  if [ -n "$there" ]; then
    files_back
    bring_back ''
    [ -s "$run/wanted" ] || compose up -d --no-recreate --no-build --pull never --remove-orphans
    stop_again
    tags_back
    healthy $(wanted)
  else
    compose down
    files_back
    tags_back
    [ -z "$fresh_dir" ] || rmdir "$dir" 2>/dev/null
  fi
  drop_fresh
  look >"$run/after"
  if cmp -s "$run/before" "$run/after"; then
    echo 'Rolled back.'
    tell state 0 rolled_back
    end 14
  fi
  tell state 0 rollback_failed
  end 15
}
act() {
  tell project 0 "$dir"
  sick=
  set -- "$verb"
  while IFS= read -r service; do set -- "$@" "$service"; done <"$run/wanted"
  if compose "$@" && { [ "$verb" = stop ] || healthy $(wanted); }; then
    tell state 0 done
    end 0
  fi
  tell state 0 failed
  tell why 0 ${'$'}{sick:-- compose -}
  end 14
}
`;

export const COMPOSE_WORK = `${WORK_SHELL}${ENTER_SHELL}${GUARD_SHELL}${PATCH}${STACK}
case $verb in
  recover) recover "$@" ;;
  patch) patch "$@" ;;
  deploy) take_stack "$@"; deploy ;;
  stop | start | restart) take_stack "$@"; act ;;
esac
end ${WORK_EXIT.nothingAsked}
`;
