# Dumps daily. A dump gets its name only once it is complete.
set -eu
umask 077
trap 'exit 0' TERM INT
while :; do
  part=/dumps/.part
  pg_dump --format=custom --file="$part"
  mv "$part" "/dumps/$(date -u +%Y%m%dT%H%M%SZ).dump"
  find /dumps -name '*.dump' -mtime "+$KEEP_DAYS" -delete
  sleep 86400 &
  wait
done
