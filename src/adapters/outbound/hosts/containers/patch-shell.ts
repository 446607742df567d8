/**
 * Updates services to other images. After engine and verb: 1 to prune, then for each project: its directory, name or
 * "-", the number of config files, these (the last first), the number of services, and for each: name, image, name to
 * pull, id of the running image, the number of containers, previous and new digest; then 0, or for a guarded project: 1,
 * the seconds to observe, the number of paths to save, these, the number of words of the checks, these.
 */
export const PATCH = String.raw`
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
  rm -f -- "$run/guard" "$run/checks"
  guarded=$1 observe=0
  shift
  taken=$((taken + 1))
  [ "$guarded" = 1 ] || return 0
  observe=$1
  shift
  taken=$((taken + 1))
  for each in guard checks; do
    : >"$run/$each"
    count=$1
    shift
    taken=$((taken + 1 + count))
    while [ "$count" -gt 0 ]; do
      printf '%s\n' "$1" >>"$run/$each" || unnoted
      shift
      count=$((count - 1))
    done
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
# Recreates the containers of the services, as many as there were.
recreate() {
  set -- up "$begun" --no-deps --no-build --pull never
  while read -r service image pulled id count from to; do set -- "$@" --scale "$service=$count"; done <"$run/services"
  while read -r service image pulled id count from to; do set -- "$@" "$service"; done <"$run/services"
  compose "$@"
}
services_healthy() { healthy $(cut -d' ' -f1 "$run/services"); }
try_images() {
  if ! is_guarded; then
    recreate && services_healthy
    return
  fi
  begun=--no-start
  recreate
  made=$?
  begun=-d
  [ "$made" -eq 0 ] && start_ran && all_well && users_checks && observe
}
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
  if is_guarded && ! save_data; then
    tags_back
    drop_fresh
    tell state "$number" failed
    tell why "$number" - "$why" -
    return 14
  fi
  sick=
  if try_images; then
    while read -r service image pulled id count from to; do
      tell changed "$number" "$service" "$image" "$from" "$to"
      echo "$id" >>"$run/replaced"
    done <"$run/services"
    tell state "$number" done
    if is_guarded; then
      sync "$run/told" && phase over
      drop_copies
    fi
    return 0
  fi
  tell why "$number" ${'$'}{sick:-- compose -}
  if is_guarded; then
    failed_log
    echo 'Rolling back to the previous images.'
    if guarded_back; then
      tell state "$number" rolled_back
      return 14
    fi
    phase over
    tell state "$number" rollback_failed
    return 15
  fi
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
