#!/bin/sh
# Makes the secrets of compose.yaml and compose.galera.yaml, once. Usage: ./make-secrets.sh [host[,host...]]
set -eu
hosts=${1:-database:3306}
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo 'There are secrets already; nothing was changed.' >&2
  exit 1
fi
umask 077
mkdir secrets
password=$(openssl rand -hex 24)
printf '%s' "$password" > secrets/database-password
printf 'mysql://drover:%s@%s/drover' "$password" "$hosts" > secrets/database-url
openssl rand -base64 32 > secrets/master-key
# Compose gives them to the containers as they are: the directory keeps other users of this machine out.
chmod 644 secrets/*
chmod 700 secrets
echo 'Made deploy/secrets. Keep a copy of master-key apart: without it no stored secret can be read.'
