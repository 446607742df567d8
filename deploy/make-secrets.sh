#!/bin/sh
# Creates the secrets of compose.yaml and compose.galera.yaml, once. Usage: ./make-secrets.sh [host[,host...]]
set -eu
hosts=${1:-database:3306}
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo 'deploy/secrets already exists; nothing was changed.' >&2
  exit 1
fi
umask 077
mkdir secrets
password=$(openssl rand -hex 24)
printf '%s' "$password" > secrets/database-password
printf 'mysql://drover:%s@%s/drover' "$password" "$hosts" > secrets/database-url
openssl rand -base64 32 > secrets/master-key
# Containers see the files with these permissions; the directory's own keep other users of this machine out.
chmod 644 secrets/*
chmod 700 secrets
echo 'Created deploy/secrets. Store a copy of master-key elsewhere: without it, stored secrets cannot be decrypted.'
