import type { DumpKind, RestorableKind } from '../../../../domain/backups/dump.ts';

/** The client is not there. */
export const NO_CLIENT = 101;
/** The engine of the container is not there. */
export const NO_ENGINE = 102;
/** The database file is not there. */
export const NO_FILE = 103;

/**
 * "$1": docker or podman, "$2": the container, "$3": one of the scripts below, then its arguments. Standard input goes on to
 * the container.
 */
export const IN_CONTAINER = `
engine=$1 container=$2 script=$3
shift 3
command -v "$engine" >/dev/null 2>&1 || exit ${NO_ENGINE}
exec "$engine" exec -i "$container" sh -c "$script" drover "$@"
`;

/**
 * Of each script: "$1": the database, "$2": the user, "$3": a host or socket, "$4": a port; each may be empty. The
 * first line of standard input is the password, or empty; \`read\` takes no byte beyond that line.
 */
const START = `
cd / || exit 1
umask 077
database=$1 user=$2 host=$3 port=$4
IFS= read -r secret || exit 1
find_client() {
  for client in "$@"; do command -v "$client" >/dev/null 2>&1 && return; done
  exit ${NO_CLIENT}
}
`;

/** Local root becomes the account of the same name, as PostgreSQL's peer authentication requires. */
const POSTGRES = `${START}
PGCONNECT_TIMEOUT=30
export PGCONNECT_TIMEOUT
if [ -n "$secret" ]; then PGPASSWORD=$secret; export PGPASSWORD; fi
as=
case $host in
'' | /*) if [ -z "$secret" ] && [ "$(id -u)" = 0 ] && id "\${user:-postgres}" >/dev/null 2>&1; then as=\${user:-postgres}; fi ;;
esac
call() {
  client=$1
  shift
  set -- -w "$@"
  [ -z "$port" ] || set -- -p "$port" "$@"
  [ -z "$host" ] || set -- -h "$host" "$@"
  [ -z "$user" ] || set -- -U "$user" "$@"
  if [ -n "$as" ]; then su -s /bin/sh -c 'exec "$0" "$@"' -- "$as" "$client" "$@"; else "$client" "$@"; fi
}
`;

/** Without HOME, since ~/.my.cnf would take precedence over the password. */
const MYSQL = `${START}
if [ -n "$secret" ]; then MYSQL_PWD=$secret HOME=/nonexistent; export MYSQL_PWD HOME; fi
call() {
  client=$1
  shift
  set -- --default-character-set=utf8mb4 "$@"
  [ -z "$port" ] || set -- --port="$port" "$@"
  case $host in
  '') [ -z "$port" ] || set -- --host=127.0.0.1 "$@" ;;
  /*) set -- --socket="$host" "$@" ;;
  *) set -- --host="$host" "$@" ;;
  esac
  [ -z "$user" ] || set -- --user="$user" "$@"
  "$client" "$@"
}
`;

const REDIS = `${START}
if [ -n "$secret" ]; then REDISCLI_AUTH=$secret; export REDISCLI_AUTH; fi
find_client redis-cli valkey-cli keydb-cli
call() {
  [ -z "$port" ] || set -- -p "$port" "$@"
  case $host in
  '') ;;
  /*) set -- -s "$host" "$@" ;;
  *) set -- -h "$host" "$@" ;;
  esac
  [ -z "$user" ] || set -- --user "$user" "$@"
  "$client" --no-auth-warning "$@"
}
`;

/** The password is a line of YAML here, as the configuration of the tools wants it. */
const MONGODB = `${START}
call() {
  client=$1
  shift
  set -- --quiet "$@"
  [ -z "$port" ] || set -- --port="$port" "$@"
  [ -z "$host" ] || set -- --host="$host" "$@"
  [ -z "$user" ] || set -- --username="$user" --authenticationDatabase=admin "$@"
  if [ -z "$secret" ]; then "$client" "$@"; return; fi
  exec 4<&0
  printf '%s\\n' "$secret" | "$client" --config=/dev/fd/3 "$@" 3<&0 <&4
}
`;

/**
 * In a private directory that is removed however the script ends. A copy within a transaction does not restart when
 * the database is written to.
 */
const SQLITE = `${START}
find_client sqlite3
scratch=
trap '[ -z "$scratch" ] || rm -rf -- "$scratch"' EXIT
trap 'exit 129' HUP INT PIPE TERM
make_scratch() { scratch=$(mktemp -d /var/tmp/drover-dump.XXXXXX || mktemp -d /tmp/drover-dump.XXXXXX) && cd "$scratch"; }
`;

export const DUMP_SCRIPTS: Readonly<Record<DumpKind, string>> = {
  postgres: `${POSTGRES}
if [ -z "$database" ]; then find_client pg_dumpall; call pg_dumpall; exit; fi
find_client pg_dump
call pg_dump --clean --if-exists --no-password -d "$database"
`,
  mysql: `${MYSQL}
find_client mariadb-dump mysqldump
set -- --single-transaction --quick --routines --events --triggers --hex-blob --no-tablespaces --comments \\
  --loose-set-gtid-purged=OFF
if [ -z "$database" ]; then call "$client" "$@" --all-databases; else call "$client" "$@" -- "$database"; fi
`,
  sqlite: `${SQLITE}
[ -f "$database" ] || exit ${NO_FILE}
make_scratch || exit 1
sqlite3 -batch -bail -cmd '.timeout 60000' "$database" BEGIN 'SELECT count(*) FROM sqlite_master' '.backup copy' >&2 || exit 1
cat copy
`,
  redis: `${REDIS}
call --rdb -
`,
  mongodb: `${MONGODB}
find_client mongodump
if [ -z "$database" ]; then call mongodump --archive; else call mongodump --archive --db="$database"; fi
`,
};

/**
 * Whether a dump would start: the client is there, and reaches the database. MongoDB's tools cannot try a connection without
 * reading data.
 */
export const CHECK_SCRIPTS: Readonly<Record<DumpKind, string>> = {
  postgres: `${POSTGRES}
if [ -z "$database" ]; then find_client pg_dumpall; else find_client pg_dump; fi
find_client psql
call psql -X -q -A -t -d "\${database:-postgres}" -c 'SELECT 1' </dev/null
`,
  mysql: `${MYSQL}
find_client mariadb-dump mysqldump
find_client mariadb mysql
set --
[ -z "$database" ] || set -- --database="$database"
call "$client" --batch "$@" <<SQL
SELECT 1;
SQL
`,
  sqlite: `${SQLITE}
[ -f "$database" ] || exit ${NO_FILE}
sqlite3 -batch -bail -readonly "$database" 'SELECT count(*) FROM sqlite_master'
`,
  redis: `${REDIS}
answer=$(call PING) || exit 1
[ "$answer" = PONG ] || { printf '%s\\n' "$answer" >&2; exit 1; }
`,
  mongodb: `${MONGODB}
find_client mongodump
`,
};

/** Each prints a line: the server's version, whether the database exists (1 or 0), its tables, its bytes; tab-separated, empty if unknown. */
export const LOOK_SCRIPTS: Readonly<Record<RestorableKind, string>> = {
  postgres: `${POSTGRES}
find_client psql
ask() { call psql -X -q -A -t -v ON_ERROR_STOP=1 -v "name=$database" "$@"; }
version=$(ask -d postgres -c 'SHOW server_version' </dev/null) || exit 1
size=$(ask -d postgres <<'SQL'
SELECT pg_database_size(oid) FROM pg_database WHERE datname = :'name';
SQL
) || exit 1
tables=0
if [ -n "$size" ]; then
  tables=$(ask -d "$database" -c "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')" </dev/null) || exit 1
fi
printf 'PostgreSQL %s\\t%s\\t%s\\t%s\\n' "$version" "$([ -z "$size" ]; echo $?)" "$tables" "\${size:-0}"
`,
  mysql: `${MYSQL}
find_client mariadb mysql
name=$(printf '%s' "$database" | od -An -v -tx1 | tr -d ' \\n')
call "$client" --batch --skip-column-names <<SQL
SET @name = CONVERT(X'$name' USING utf8mb4);
SELECT CONCAT(IF(VERSION() LIKE '%MariaDB%', '', 'MySQL '), VERSION()),
  @name = '' OR EXISTS (SELECT 1 FROM information_schema.schemata WHERE schema_name = @name),
  COUNT(*), COALESCE(SUM(data_length + index_length), 0)
FROM information_schema.tables
WHERE table_schema = @name OR (@name = '' AND table_schema NOT IN ('information_schema', 'performance_schema', 'sys'));
SQL
`,
  sqlite: `${SQLITE}
version=$(sqlite3 -version) || exit 1
if [ ! -e "$database" ]; then printf 'SQLite %s\\t0\\t0\\t0\\n' "\${version%% *}"; exit; fi
[ -f "$database" ] || exit ${NO_FILE}
tables=$(sqlite3 -batch -bail -readonly "$database" "SELECT count(*) FROM sqlite_master WHERE type = 'table'") || exit 1
printf 'SQLite %s\\t1\\t%s\\t%s\\n' "\${version%% *}" "$tables" "$(wc -c < "$database")"
`,
  mongodb: `${MONGODB}
find_client mongorestore
printf '\\t\\t\\t\\n'
`,
};

/**
 * After the password, standard input is the dump. SQLite's backup API replaces the content of a file in one
 * transaction, even while others have it open; the previous content is kept beside it.
 */
export const RESTORE_SCRIPTS: Readonly<Record<RestorableKind, string>> = {
  postgres: `${POSTGRES}
find_client psql
there=$(call psql -X -q -A -t -v ON_ERROR_STOP=1 -v "name=$database" -d postgres <<'SQL'
SELECT count(*) FROM pg_database WHERE datname = :'name';
SQL
) || exit 1
if [ "$there" = 0 ]; then
  find_client createdb
  call createdb -- "$database" || exit 1
fi
call psql -X -q -o /dev/null -v ON_ERROR_STOP=1 -d "$database"
`,
  mysql: `${MYSQL}
find_client mariadb mysql
if [ -n "$database" ]; then
  name=$(printf '%s' "$database" | sed 's/\`/\`\`/g')
  call "$client" --batch <<SQL || exit 1
CREATE DATABASE IF NOT EXISTS \\\`$name\\\`;
SQL
  call "$client" --batch --database="$database"
else
  call "$client" --batch
fi
`,
  sqlite: `${SQLITE}
make_scratch || exit 1
cat > copy || exit 1
[ "$(sqlite3 -batch -bail -readonly copy 'PRAGMA quick_check(1)')" = ok ] || { echo 'the dump is damaged' >&2; exit 1; }
if [ -e "$database" ]; then
  [ -f "$database" ] || exit ${NO_FILE}
  sqlite3 -batch -bail -cmd '.timeout 60000' "$database" BEGIN 'SELECT count(*) FROM sqlite_master' '.backup former' >&2 || exit 1
  cat former > "$database.before-restore-$(date -u +%Y%m%dT%H%M%SZ)" || exit 1
fi
sqlite3 -batch -bail -cmd '.timeout 60000' "$database" '.restore copy' >&2
`,
  mongodb: `${MONGODB}
find_client mongorestore
call mongorestore --archive --drop --stopOnError
`,
};
