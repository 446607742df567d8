#!/bin/sh
# Starts compose.galera.yaml: for the first time, and whenever all of its nodes were down. A cluster that nobody is in does
# not come back by itself: it is begun by the node that knows most, and the others join that one. What runs goes on.
# Usage: ./start-galera.sh [OPTION OF docker compose up...]
set -eu
cd "$(dirname "$0")"
nodes='galera1 galera2 galera3'

compose() { docker compose -f compose.galera.yaml "$@"; }
# A program in the place of a node that is down, on its files. Usage: instead NODE PROGRAM ARGUMENT...
instead() {
  node=$1 program=$2
  shift 2
  compose run --rm -T --no-deps --entrypoint "$program" "$node" "$@"
}

in_cluster() {
  for node in $nodes; do
    status=$(compose exec -T --user mysql "$node" mariadb --no-defaults -NBe "SHOW STATUS LIKE 'wsrep_cluster_status'" 2>/dev/null </dev/null || :)
    case $status in
      *non-Primary*) ;;
      *Primary*) return 0 ;;
    esac
  done
  return 1
}

# The last change that a node has. After a crash it is not in its notes, but in the database.
last_change() {
  compose run --rm -T --no-deps "$1" mariadbd --wsrep-on=ON --wsrep-provider=/usr/lib/galera/libgalera_smm.so \
    --wsrep-cluster-address=gcomm:// --binlog-format=ROW --innodb-autoinc-lock-mode=2 --wsrep-recover 2>&1 </dev/null |
    sed -n 's/.*Recovered position: [^:]*:\(-\{0,1\}[0-9][0-9]*\).*/\1/p' | tail -n 1
}

knows_most() {
  newest='' most=-2
  for node in $nodes; do
    notes=$(instead "$node" cat /var/lib/mysql/grastate.dat 2>/dev/null </dev/null || :)
    case $notes in
      '') continue ;;
      # Galera's own word: this one left last.
      *'safe_to_bootstrap: 1'*) echo "$node"; return ;;
    esac
    change=$(last_change "$node")
    echo "$node has changes up to ${change:-none}." >&2
    if [ "${change:--1}" -gt "$most" ]; then newest=$node most=${change:--1}; fi
  done
  echo "${newest:-galera1}"
}

if ! in_cluster; then
  compose stop $nodes
  first=$(knows_most)
  echo "$first begins the cluster."
  instead "$first" sed -i 's/^safe_to_bootstrap: 0/safe_to_bootstrap: 1/' /var/lib/mysql/grastate.dat 2>/dev/null </dev/null || :
  GALERA_BOOTSTRAP=--wsrep-new-cluster compose up -d --wait --no-deps "$first"
fi
compose up -d --wait --no-deps --no-recreate $nodes
# One after the other, so that the cluster stays: what has got other settings or another image is made anew, as is the one
# that has begun the cluster, to be one that joins.
for node in $nodes; do compose up -d --wait --no-deps "$node"; done
compose up -d --wait "$@"
