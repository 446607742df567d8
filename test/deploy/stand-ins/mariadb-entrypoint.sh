#!/bin/bash
# Stands in for the entry point of the image `mariadb`: what its documentation promises for the variables that our compose
# files set, for the same commands, with Debian's MariaDB.
set -eo pipefail
data=/var/lib/mysql socket=/run/mysqld/mysqld.sock

say() { printf '%s [Note] [Entrypoint]: %s\n' "$(date --rfc-3339=seconds)" "$*"; }
made_up() { head -c 24 /dev/urandom | base64 | tr -d '+/=\n'; }
sql() { mariadb --no-defaults --protocol=socket --socket="$socket" -uroot --batch "$@"; }

[ "${1:0:1}" != - ] || set -- mariadbd "$@"

# The command is checked before anything is changed.
"$@" --verbose --help >/dev/null

if [ "$(id -u)" = 0 ]; then
  if [ -n "$MARIADB_PASSWORD_FILE" ]; then
    MARIADB_PASSWORD=$(<"$MARIADB_PASSWORD_FILE")
    export MARIADB_PASSWORD
    unset MARIADB_PASSWORD_FILE
  fi
  find "$data" /run/mysqld -maxdepth 1 ! -user mysql -exec chown mysql: {} +
  exec setpriv --reuid=mysql --regid=mysql --init-groups "$0" "$@"
fi

if [ ! -d "$data/mysql" ]; then
  [ -n "$MARIADB_RANDOM_ROOT_PASSWORD" ] || { echo 'There is no password option for root.' >&2; exit 1; }
  say 'Initializing database files'
  mariadb-install-db --datadir="$data" --auth-root-authentication-method=normal --skip-test-db "${@:2}" >/dev/null
  say 'Starting temporary server'
  "$@" --skip-networking --socket="$socket" --wsrep_on=OFF &
  server=$!
  for _ in $(seq 300); do
    sql -e 'SELECT 1' >/dev/null 2>&1 && break
    sleep 0.1
  done
  root=$(made_up) health=$(made_up)
  say "GENERATED ROOT PASSWORD: $root"
  {
    echo "CREATE USER 'root'@'${MARIADB_ROOT_HOST:-%}' IDENTIFIED BY '$root';"
    echo "GRANT ALL ON *.* TO 'root'@'${MARIADB_ROOT_HOST:-%}' WITH GRANT OPTION;"
    [ -z "$MARIADB_MYSQL_LOCALHOST_USER" ] || echo 'CREATE USER mysql@localhost IDENTIFIED VIA unix_socket;'
    for host in 127.0.0.1 ::1 localhost; do
      echo "CREATE USER healthcheck@'$host' IDENTIFIED BY '$health';"
    done
    echo "CREATE DATABASE \`$MARIADB_DATABASE\`;"
    echo "CREATE USER '$MARIADB_USER'@'%' IDENTIFIED BY '$MARIADB_PASSWORD';"
    echo "GRANT ALL ON \`$MARIADB_DATABASE\`.* TO '$MARIADB_USER'@'%';"
    echo "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('$root');"
  } | sql
  # Each node of a cluster makes a password of its own here, and gets another's users with the state.
  (umask 077 && printf '[mariadb-client]\nuser=healthcheck\npassword=%s\nprotocol=tcp\n' "$health" >"$data/.my-healthcheck.cnf")
  say 'Stopping temporary server'
  kill "$server"
  wait "$server"
  say 'MariaDB init process done. Ready for start up.'
fi
exec "$@"
