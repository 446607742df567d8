#!/bin/bash
# Ends as the systemd of a test host whose namespaces and root file system host-init.sh has made. systemd needs control
# groups that it may write to: the host has its own, and sees nothing above them.
# systemd-init.sh ROOT CONTROL_GROUP, and once more, inside, with "inside" after that
set -eu
root=$1 group=$2
all=/sys/fs/cgroup
one=
[ ! -f "$all/cgroup.controllers" ] || one=yes

# The hierarchies of this machine: one of version 2, or several of version 1.
hierarchies() {
  if [ "$one" ]; then echo "$all/"; else
    for each in "$all"/*/; do [ "$each" = "$all/unified/" ] || echo "$each"; done
  fi
}

if [ "${3:-}" != inside ]; then
  for hierarchy in $(hierarchies); do
    own=$hierarchy$group
    mkdir "$own"
    for part in cpus mems; do
      [ "$one" ] || [ ! -f "$own/cpuset.$part" ] || cat "${hierarchy}cpuset.$part" >"$own/cpuset.$part"
    done
    echo $$ >"$own/cgroup.procs"
  done
  exec unshare --cgroup bash "$0" "$root" "$group" inside
fi

if [ "$one" ]; then mount -t cgroup2 cgroup2 "$root$all"; else
  mount -t tmpfs -o mode=755 tmpfs "$root$all"
  for hierarchy in $(hierarchies); do
    name=$(basename "$hierarchy")
    options=$name
    [ "$name" != systemd ] || options=none,name=systemd
    mkdir "$root$hierarchy"
    mount -t cgroup -o "$options" cgroup "$root$hierarchy"
  done
fi

# podman asks for the most that the kernel knows, and a container in a container may not have more than this process.
cat >"$root/etc/containers/containers.conf" <<END
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=$(ulimit -Hu):$(ulimit -Hu)"]
END

cd "$root"
pivot_root . .
umount --lazy .
cd /
exec env -i container=drover PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
