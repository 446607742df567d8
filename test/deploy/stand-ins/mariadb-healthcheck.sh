#!/bin/bash
# Stands in for the image's healthcheck.sh: its tests that our compose files ask for, in the order of the arguments.
defaults=()
[ ! -f /var/lib/mysql/.my-healthcheck.cnf ] || defaults=(--defaults-extra-file=/var/lib/mysql/.my-healthcheck.cnf)
ask() { mariadb "${defaults[@]}" --protocol socket --skip-column-names --batch -e "$1"; }

for each; do
  shift
  case "$each" in
    --su-mysql) exec setpriv --reuid=mysql --regid=mysql --init-groups "$0" "$@" ;;
    --no-defaults) defaults=(--no-defaults) ;;
    --connect)
      # To be refused is an answer, too.
      [ "$(ask 'SELECT @@skip_networking')" = 0 ] ||
        mariadb "${defaults[@]}" --protocol tcp -h localhost -e 'SELECT 1' 2>&1 | grep -qE '^1$|\(28000\)' || exit 1
      ;;
    --innodb_initialized)
      [ "$(ask "SELECT 1 FROM information_schema.ENGINES WHERE engine = 'innodb' AND support = 'DEFAULT'")" = 1 ] || exit 1
      ;;
    --galera_online)
      [ "$(ask "SELECT variable_value FROM information_schema.GLOBAL_STATUS WHERE variable_name = 'WSREP_LOCAL_STATE'")" = 4 ] || exit 1
      ;;
    *)
      echo "unknown: $each" >&2
      exit 1
      ;;
  esac
done
