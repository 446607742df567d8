import { SECTIONS_PRELUDE } from '../../application/remote-host/marked-sections.ts';
import { MOST_CONTAINERS } from '../../domain/inventory.ts';

/** In bytes; of what is longer the rest is not printed. */
export const MOST_PRINTED = { images: 4_000_000, listed: 500_000 } as const;

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
label() { printf '{{json (index .Config.Labels "com.docker.compose.%s")}}' "$1"; }
containers() {
  limit 60 $kind inspect --type container --format "[{{json .Name}},{{json .Config.Image}},{{json .Image}},{{json .State.Status}},{{with .State.Health}}{{json .Status}}{{else}}\"\"{{end}},$(label project),$(label project.working_dir),$(label project.config_files),$(label service),$(label oneoff),$(label config-hash),$(label version)]" $ids
}
images() {
  # podman knows the field by its name in Go alone, but where it stands by itself
  id_of=.Id
  [ "$kind" = docker ] || id_of=.ID
  limit 60 $kind image inspect --format "[{{json $id_of}},{{json .RepoDigests}},{{with .Config}}{{json .Labels}}{{else}}null{{end}}]" $(
    limit 60 $kind inspect --type container --format '{{.Image}}' $ids | sort -u)
}
listed() { find "$@" -maxdepth 2 -type f \( -name compose.yaml -o -name compose.yml -o -name docker-compose.yaml -o -name docker-compose.yml \) -print0; }
set -f
section engine 20 printf %s "$kind"
if [ -n "$kind" ]; then
  ids=$(limit 60 $kind ps -aq --no-trunc | head -n ${MOST_CONTAINERS + 1})
  if [ -n "$ids" ]; then
    section containers 6000000 containers
    section images ${MOST_PRINTED.images} images
  fi
fi
[ $# -eq 0 ] || section listed ${MOST_PRINTED.listed} listed "$@"
exit 0
`}`;

export const SURVEY_LIMITS = { timeoutMs: 300_000, maxOutputBytes: 12 * 1024 * 1024 };
