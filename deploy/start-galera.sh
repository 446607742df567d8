#!/bin/sh
# Starts compose.galera.yaml: for the first time, and after all of its nodes were down. Such a cluster does not restart on its
# own: the node with the latest data has to start it, and the others join. Running nodes keep running.
# Usage: ./start-galera.sh [OPTION OF docker compose up...]
set -eu
cd "$(dirname "$0")"
nodes='galera1 galera2 galera3'

compose() { docker compose -f compose.galera.yaml "$@"; }
# Runs a program instead of a stopped node, on its files. Usage: instead NODE PROGRAM ARGUMENT...
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

# The position of a node's last change. After a crash it is not in grastate.dat, but in the database.
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
      # Galera has recorded that this node stopped last.
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
  echo "Starting the cluster with $first."
  instead "$first" sed -i 's/^safe_to_bootstrap: 0/safe_to_bootstrap: 1/' /var/lib/mysql/grastate.dat 2>/dev/null </dev/null || :
  GALERA_BOOTSTRAP=--wsrep-new-cluster compose up -d --wait --no-deps "$first"
fi
compose up -d --wait --no-deps --no-recreate $nodes
# One by one, so that the cluster stays up: recreates nodes whose settings or image changed, and the node that started the
# cluster, so that it joins next time.
for node in $nodes; do compose up -d --wait --no-deps "$node"; done
compose up -d --wait "$@"
