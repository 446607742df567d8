import { ENTER_SHELL } from './enter-shell.ts';
import { WORK_SHELL } from './work-shell.ts';

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
 * Updates services to other images. After engine and verb: 1 to prune, then for each project: its directory, name or
 * "-", the number of config files, these (the last first), the number of services, and for each: name, image, name to
 * pull, id of the running image, the number of containers, previous and new digest.
 */
const PATCH = String.raw`
# Reads one project from the arguments; "$taken" says how many they were.
take_project() {
  dir=$1 name=$2 count=$3
  shift 3
  taken=3
  : >"$run/files"
  while [ "$count" -gt 0 ]; do
    printf '%s\n' "$1" >>"$run/files" || unnoted
    shift
    taken=$((taken + 1)) count=$((count - 1))
  done
  count=$1
  shift
  taken=$((taken + 1))
  : >"$run/services"
  while [ "$count" -gt 0 ]; do
    printf '%s %s %s %s %s %s %s\n' "$1" "$2" "$3" "$4" "$5" "$6" "$7" >>"$run/services" || unnoted
    shift 7
    taken=$((taken + 7)) count=$((count - 1))
  done
}
as_planned() {
  while read -r service image pulled id count from to; do
    running=$(ids "$service")
    [ -n "$running" ] || return 1
    # podman tells the digits alone
    for each in $(engine inspect --format '{{.Image}}' $running); do
      [ "${'$'}{each#sha256:}" = "${'$'}{id#sha256:}" ] || return 1
    done
  done <"$run/services"
}
# Makes the containers of the services anew, as many as there were.
recreate() {
  set -- up -d --no-deps --no-build --pull never
  while read -r service image pulled id count from to; do set -- "$@" --scale "$service=$count"; done <"$run/services"
  while read -r service image pulled id count from to; do set -- "$@" "$service"; done <"$run/services"
  compose "$@"
}
services_healthy() { healthy $(cut -d' ' -f1 "$run/services"); }
patch_project() {
  begin_project
  tell project "$number" "$dir"
  if ! remember; then
    tell state "$number" failed
    tell why "$number" - notes -
    return 14
  fi
  while read -r service image pulled id count from to; do
    if ! pull "$image" "$pulled"; then
      tags_back
      drop_fresh
      tell state "$number" failed
      tell why "$number" "$service" pull -
      return 14
    fi
  done <"$run/services"
  sick=
  if recreate && services_healthy; then
    while read -r service image pulled id count from to; do
      tell changed "$number" "$service" "$image" "$from" "$to"
      echo "$id" >>"$run/replaced"
    done <"$run/services"
    tell state "$number" done
    return 0
  fi
  tell why "$number" ${'$'}{sick:-- compose -}
  echo 'Rolling back to the previous images.'
  bring_back "$(cut -d' ' -f1 "$run/services" | tr '\n' ' ')"
  tags_back
  drop_fresh
  services_healthy
  look >"$run/after"
  if cmp -s "$run/before" "$run/after"; then
    echo "Rolled back."
    tell state "$number" rolled_back
    return 14
  fi
  tell state "$number" rollback_failed
  return 15
}
check_one() { as_planned || drifted=1; }
patch_one() {
  patch_project
  code=$?
  [ "$code" -le "$worst" ] || worst=$code
}
each_project() {
  action=$1
  shift
  number=0
  while [ $# -gt 0 ]; do
    take_project "$@"
    shift "$taken"
    "$action"
    number=$((number + 1))
  done
}
patch() {
  pruning=$1
  shift
  [ $# -gt 0 ] || end 17
  # Nothing is begun unless all is as it was planned.
  drifted=
  each_project check_one "$@"
  [ -z "$drifted" ] || end 12
  each_project patch_one "$@"
  [ "$pruning" = 0 ] || prune
  end "$worst"
}
`;

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

export const COMPOSE_WORK = `${WORK_SHELL}${ENTER_SHELL}${PATCH}${STACK}
case $verb in
  patch) patch "$@" ;;
  deploy) take_stack "$@"; deploy ;;
  stop | start | restart) take_stack "$@"; act ;;
esac
end ${WORK_EXIT.nothingAsked}
`;
