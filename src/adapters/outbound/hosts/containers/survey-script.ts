import { MAX_CONTAINERS } from '../../../../domain/fleet/inventory.ts';
import { SECTIONS_PRELUDE } from '../shell/marked-sections.ts';

/** In bytes; longer output is truncated. */
export const MAX_PRINTED = { containers: 6_000_000, images: 4_000_000, listed: 500_000 } as const;

/** In characters; longer labels are truncated. An image may have megabytes of them. */
export const MAX_LABEL = { any: 2_000, config_files: 20_000 } as const;

/** Labels that make a container a member of a project. */
const MEMBERSHIP = ['project', 'project.working_dir', 'project.config_files', 'service'];

/** Template: whether an image brings one of them itself. Its labels may be missing altogether. */
const IS_POSING = `{{with .Config}}{{with .Labels}}{{if or ${MEMBERSHIP.map((name) => `(index . "com.docker.compose.${name}")`).join(' ')}}}true{{else}}false{{end}}{{else}}false{{end}}{{else}}false{{end}}`;

/**
 * "$1": the mark of the sections; then directories. One JSON list a container and an image; values are printed as JSON by
 * the engine, and the only ones that come back into a command are ids that the engine made. Paths end with a NUL, which
 * none of them has.
 */
export const SURVEY = `${SECTIONS_PRELUDE}${String.raw`
shift
said() { limit 20 "$@" 2>&1; }
kind=
# podman-docker calls podman docker; that one knows no such field
if has docker && limit 20 docker version --format '{{.Server.MinAPIVersion}}' >/dev/null; then kind=docker
elif has podman && limit 20 podman version >/dev/null; then kind=podman
elif has docker; then section fault 2000 said docker version --format '{{.Server.Version}}'
elif has podman; then section fault 2000 said podman version
fi
label() { printf '{{with index .Config.Labels "com.docker.compose.%s"}}{{json (printf "%%.%ss" .)}}{{else}}null{{end}}' "$1" "${'$'}{2:-${MAX_LABEL.any}}"; }
posing='${IS_POSING}'
containers() {
  limit 60 $kind inspect --type container --format "[{{json .Name}},{{json .Config.Image}},{{json .Image}},{{json .State.Status}},{{with .State.Health}}{{json .Status}}{{else}}\"\"{{end}},$(label project),$(label project.working_dir),$(label project.config_files ${MAX_LABEL.config_files}),$(label service),$(label oneoff),$(label config-hash),$(label version)]" $ids
}
images() {
  # podman knows the field by its name in Go alone, but where it stands by itself
  id_of=.Id
  [ "$kind" = docker ] || id_of=.ID
  format="[{{json $id_of}},{{json .RepoDigests}},$posing]"
  wanted=$(limit 60 $kind inspect --type container --format '{{.Image}}' $ids | sort -u)
  found=$(limit 60 $kind image inspect --format "$format" $wanted) && printf '%s\n' "$found" && return
  # one that is missing or hangs does not hide the others
  for image in $wanted; do limit 10 $kind image inspect --format "$format" "$image"; done
}
listed() { find "$@" -maxdepth 2 -type f \( -name compose.yaml -o -name compose.yml -o -name docker-compose.yaml -o -name docker-compose.yml \) -print0; }
set -f
section engine 20 printf %s "$kind"
if [ -n "$kind" ]; then
  ids=$(limit 60 $kind ps -aq --no-trunc | head -n ${MAX_CONTAINERS + 1})
  if [ -n "$ids" ]; then
    section containers ${MAX_PRINTED.containers} containers
    section images ${MAX_PRINTED.images} images
  fi
fi
[ $# -eq 0 ] || section listed ${MAX_PRINTED.listed} listed "$@"
exit 0
`}`;

export const SURVEY_LIMITS = { timeoutMs: 300_000, maxOutputBytes: 12 * 1024 * 1024 };
