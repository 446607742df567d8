#!/bin/sh
# PostgreSQL with the schema of this edition: v1 creates it, the others migrate it from version 1 when they start.
set -eu
data=/var/lib/postgresql/data settings='-c listen_addresses= -c unix_socket_directories=/tmp'
sql() { psql -X -q -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }
version() { psql -X -At -d shop -c 'SELECT version FROM schema_version'; }

if [ ! -s "$data/PG_VERSION" ]; then
  initdb -D "$data" -A trust -E UTF8 --locale=C --wal-segsize=1 >/dev/null
  pg_ctl -D "$data" -s -w -o "$settings" start
  sql postgres 'CREATE DATABASE shop'
  sql shop 'CREATE TABLE schema_version AS SELECT 1 AS version'
  sql shop "CREATE TABLE notes AS SELECT n, repeat(md5(n::text), 5) AS text FROM generate_series(1, 5000) n"
else
  pg_ctl -D "$data" -s -w -o "$settings" start
fi
if [ "$EDITION" = v1 ]; then
  [ "$(version)" = 1 ] || { echo 'The data is of a newer version.'; exit 4; }
elif [ "$(version)" = 1 ]; then
  sql shop "BEGIN; ALTER TABLE notes RENAME text TO body; ALTER TABLE notes ADD PRIMARY KEY (n);
    UPDATE notes SET body = 'v2:' || body; UPDATE schema_version SET version = 2; COMMIT"
  echo 'Migrated the schema to version 2.'
fi
pg_ctl -D "$data" -s -m fast -w stop
exec postgres -D "$data" -c 'listen_addresses=*' -c unix_socket_directories=/tmp
