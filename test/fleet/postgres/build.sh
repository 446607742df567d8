#!/bin/bash
# Builds editions of the image from the context on standard input. $1: the reference; then editions. Only the registry has
# them afterwards.
set -euo pipefail
repository=${1%:*}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -x -C "$work"
for edition; do
  DOCKER_BUILDKIT=0 docker build -q --build-arg "EDITION=$edition" -t "$repository:$edition" "$work"
  docker push -q "$repository:$edition"
done
for edition; do docker rmi "$repository:$edition"; done
