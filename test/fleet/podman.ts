import type { ImageEdition } from './docker.ts';
import type { FleetHost } from './host.ts';

/**
 * The same images as in docker.ts; "podman import" supports no health checks. An edition is built once: podman takes
 * half a second of processor time for that, skopeo next to none for another copy.
 */
const PUBLISH = String.raw`set -e
made=/srv/editions/$2-$(date -d "$3" +%s)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
if [ ! -d "$made" ]; then
  mkdir -p "$root/image/bin" /srv/editions
  cp /bin/busybox "$root/image/bin/busybox"
  for applet in sh sleep test cat; do ln -s busybox "$root/image/bin/$applet"; done
  echo "$2" >"$root/image/edition"
  [ "$2" = broken ] || : >"$root/image/healthy"
  run='trap "exit 0" TERM; sleep 86400 & wait'
  [ "$2" != crashing ] || run='exit 3'
  printf '%s\n' "$run" >"$root/image/main"
  cat >"$root/Dockerfile" <<END
FROM scratch
COPY image /
CMD ["sh", "/main"]
LABEL org.opencontainers.image.created=$3 org.opencontainers.image.source=https://github.com/shop/app org.opencontainers.image.version=$2
HEALTHCHECK --interval=3s --timeout=2s --retries=2 CMD ["test", "-f", "/healthy"]
END
  {
    podman build -q --no-cache --format docker -t localhost/making "$root"
    podman push -q localhost/making "dir:$made"
    podman rmi localhost/making
  } >&2
fi
skopeo copy -q --digestfile "$root/digest" "dir:$made" "docker://$1" >&2
cat "$root/digest"`;

/** Gives the host's registry another image under a reference; the host's own copy stays. */
export async function publishByPodman(
  host: FleetHost,
  reference: string,
  edition: ImageEdition,
  created = '2026-11-01T10:00:00Z',
): Promise<string> {
  return (await host.exec(PUBLISH, [reference, edition, created])).trim();
}

/** Returns once the registry and podman's socket are there. */
export async function waitForPodman(host: FleetHost): Promise<void> {
  await host.exec(
    'for n in $(seq 600); do [ -S /run/podman/podman.sock ] && (exec 3<>/dev/tcp/127.0.0.1/5000) 2>/dev/null && exit 0; sleep 0.1; done; systemctl status podman.socket docker-registry >&2; exit 1',
  );
}

/** Paths in docker's own packages and Debian's. */
export const COMPOSE = '/usr/libexec/docker/cli-plugins/docker-compose';

/** As a user of the host: podman 4.3 has no compose command. */
export async function composeByPodman(
  host: FleetHost,
  directory: string,
  args: readonly string[],
): Promise<void> {
  const script = 'cd "$1" && shift && DOCKER_HOST=unix:///run/podman/podman.sock "$@" >&2';
  await host.exec(script, [directory, COMPOSE, ...args]);
}

/** No containers, projects, networks and images. The registry keeps its content. */
export async function emptyPodman(host: FleetHost): Promise<void> {
  await host.exec('podman rm -af -t 1 >&2; podman system prune -af >&2; rm -rf /srv/stacks');
}
