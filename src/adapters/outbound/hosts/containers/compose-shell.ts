import { DomainError } from '../../../../domain/base/errors.ts';

/** For callers, by how `find_compose` failed. */
export const noCompose = (): DomainError =>
  new DomainError(
    'host_tool_missing',
    'Docker Compose version 2 is not installed on the host: install the package docker-compose-plugin (podman-compose is not supported).',
  );
export const noSocket = (): DomainError =>
  new DomainError(
    'host_tool_missing',
    'The Podman socket that Compose needs is not active: on the host, run systemctl enable --now podman.socket.',
  );

/**
 * Shell: `find_compose KIND` looks for Compose version 2 or newer, and `by_compose ARGUMENT…` runs it, with the words
 * of "$ahead" before it. It fails with 1 if there is none, and with 2 if podman's socket is not listening.
 * podman has had a compose command only since 4.7, which only starts docker-compose at podman's socket; so this does
 *  the same for every podman. It may also start podman-compose, which lacks everything that the work needs: config as
 *  JSON, hashes, --pull never, --no-deps.
 */
export const COMPOSE_SHELL = String.raw`
find_compose() {
  ahead=
  if [ "$1" = docker ]; then
    by_compose() { $ahead docker compose "$@"; }
    by_compose version >/dev/null 2>&1
    return
  fi
  provider=
  for each in "$HOME/.docker/cli-plugins/docker-compose" /usr/local/lib/docker/cli-plugins/docker-compose \
    /usr/local/libexec/docker/cli-plugins/docker-compose /usr/lib/docker/cli-plugins/docker-compose \
    /usr/libexec/docker/cli-plugins/docker-compose "$(command -v docker-compose)"; do
    [ -x "$each" ] || continue
    case $("$each" version --short 2>/dev/null) in '' | 0* | 1.* | v1.*) ;; *) provider=$each && break ;; esac
  done
  [ -n "$provider" ] || return 1
  by_compose() { $ahead "$provider" "$@"; }
  socket=$(podman info --format '{{.Host.RemoteSocket.Path}}' 2>/dev/null)
  socket=${'$'}{socket#unix://}
  [ -S "$socket" ] || return 2
  # What podman builds with does not know all of BuildKit.
  export DOCKER_HOST="unix://$socket" DOCKER_BUILDKIT=0
}
`;
