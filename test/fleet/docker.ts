import type { FleetHost } from './host.ts';

/**
 * `v1` and `v2` become healthy after a second, `broken` never does, `crashing` exits immediately, `plain` has no
 * health check.
 */
export type ImageEdition = 'v1' | 'v2' | 'broken' | 'crashing' | 'plain';

/** The registry on each host with docker. */
const REGISTRY = 'localhost:5000';

export const imageName = (name: string): string => `${REGISTRY}/${name}:1`;

/** A root of one static program; $1: the reference, $2: the edition, $3: what it runs, if not the usual. Prints the digest that the registry has now. */
const PUBLISH = String.raw`set -e
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/bin"
cp /bin/busybox "$root/bin/busybox"
for applet in sh sleep test cat mv rm sed; do ln -s busybox "$root/bin/$applet"; done
echo "$2" >"$root/edition"
[ "$2" = broken ] || : >"$root/healthy"
# Starts no further programs: where that is slow, containers that do take the processors of all tests.
run='trap "exit 0" TERM; sleep 86400 & wait'
[ "$2" != crashing ] || run='exit 3'
[ -z "$3" ] || run=$3
health=(--change 'HEALTHCHECK --interval=2s --timeout=2s --retries=2 CMD ["test","-f","/healthy"]')
[ "$2" != plain ] || health=()
{
  tar -C "$root" -c . | docker import --change "CMD [\"sh\",\"-c\",\"$(printf %s "$run" | sed 's/"/\\"/g')\"]" \
    "${'$'}{health[@]}" - "$1-making"
  docker tag "$1-making" "$1-$2"
  before=$(docker image inspect --format '{{.Id}}' "$1" || :)
  docker tag "$1-making" "$1"
  docker push -q "$1"
} >&2
docker image inspect --format '{{range .RepoDigests}}{{println .}}{{end}}' "$1" | sed -n 's/.*@//p' | head -n 1
{
  if [ -n "$before" ]; then docker tag "$before" "$1"; else docker rmi "$1"; fi
  docker rmi "$1-making" "$1-$2"
} >&2`;

/** Gives the host's registry another image under a reference; the host's own copy stays. */
export async function publishImage(
  host: FleetHost,
  reference: string,
  edition: ImageEdition,
  run = '',
): Promise<string> {
  return (await host.exec(PUBLISH, [reference, edition, run])).trim();
}

/** Returns once the engine and the registry answer. */
export async function waitForDocker(host: FleetHost): Promise<void> {
  await host.exec(
    'for n in $(seq 600); do why=$( { docker version >/dev/null && exec 3<>/dev/tcp/127.0.0.1/5000; } 2>&1) && exit 0; sleep 0.1; done; echo "$why" >&2; exit 1',
  );
}

/** No containers, projects, networks and images. The registry keeps its content. */
export async function emptyDocker(host: FleetHost): Promise<void> {
  await host.exec(
    'ids=$(docker ps -aq); [ -z "$ids" ] || docker rm -f $ids >&2; docker system prune -af >&2; rm -rf /srv/stacks',
  );
}

/** $1: the engine, $2: project, $3: directory, $4: bytes. An image by hand: Dockerfiles with that many labels take minutes. */
const POSE = String.raw`set -e
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"
cp /bin/busybox busybox
tar -cf layer.tar busybox
case $(uname -m) in aarch64) arch=arm64 ;; *) arch=amd64 ;; esac
{
  printf '{"architecture":"%s","os":"linux","rootfs":{"type":"layers","diff_ids":["sha256:%s"]},' "$arch" "$(sha256sum layer.tar | cut -d ' ' -f 1)"
  printf '"config":{"Cmd":["/busybox","sleep","600"],"Labels":{"com.docker.compose.project":"%s","com.docker.compose.project.working_dir":"%s",' "$2" "$3"
  printf '"com.docker.compose.project.config_files":"%s/compose.yaml","com.docker.compose.service":"web","com.docker.compose.oneoff":"False",' "$3"
  printf '"com.docker.compose.config-hash":"x","com.docker.compose.version":"2.26.1","com.docker.compose.long":"'
  head -c "$4" /dev/zero | tr '\0' x
  printf '"}}}'
} >config.json
echo '[{"Config":"config.json","RepoTags":["localhost/posing:latest"],"Layers":["layer.tar"]}]' >manifest.json
tar -c manifest.json config.json layer.tar | "$1" load >&2
"$1" run -d --name posing localhost/posing:latest >&2`;

/** Runs a container whose labels, those of a compose project, all come with its image. */
export async function poseOn(
  host: FleetHost,
  engine: 'docker' | 'podman',
  [project, directory, bytes]: readonly [string, string, number],
): Promise<void> {
  await host.exec(POSE, [engine, project, directory, String(bytes)]);
}
