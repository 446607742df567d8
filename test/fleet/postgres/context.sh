#!/bin/bash
# Writes the build context of the images to $1: PostgreSQL of this machine's package, in $2, with the libraries that it needs.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
out=$1 package=$2
root=$out/root
mkdir -p "$root/bin" "$root/etc" "$root$package/bin" "$root$package/lib" "$root/usr/share/zoneinfo"
install -d -m 1777 "$root/tmp"
install -d -m 1777 "$root/var/run/postgresql"
install -d -m 700 -o 999 -g 999 "$root/var/lib/postgresql/data"
echo 'postgres:x:999:999::/var/lib/postgresql:/bin/sh' >"$root/etc/passwd"
echo 'postgres:x:999:' >"$root/etc/group"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh cat id; do ln -s busybox "$root/bin/$applet"; done
cp "$here/main.sh" "$here/health.sh" "$root/"
for program in postgres initdb pg_ctl pg_dump psql; do cp -L "$package/bin/$program" "$root$package/bin/"; done
ln -s "$package/bin" "$root/programs"
# The compiler of queries is as large as all the rest.
for library in "$package"/lib/*.so; do case $library in *llvm*) ;; *) cp -L "$library" "$root$package/lib/" ;; esac; done
share=$("$package/bin/pg_config" --sharedir)
mkdir -p "$root$share"
cp -rL "$share/." "$root$share/"
rm -rf "$root$share/man"
cp -L /usr/share/zoneinfo/UTC /usr/share/zoneinfo/GMT "$root/usr/share/zoneinfo/"
{ ldd "$root$package"/bin/* "$root$package"/lib/*.so 2>/dev/null || :; } | grep -o '/[^ ):]*\.so[^ ):]*' | grep -v "^$root" | sort -u |
  while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
tar -C "$root" -cf "$out/root.tar" .
rm -rf "$root"
cp "$here/Dockerfile" "$out/"
