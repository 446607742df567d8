#!/bin/bash
# A test host that systemd boots, in a container of systemd-nspawn that starts anew as often as it is asked to; its sshd
# shares the network of whoever starts it. Runs in mount and pid namespaces of its own, whose end takes all with it.
# systemd-host.sh DIR LOWER_DIRS CGROUP
set -u
dir=$1 lower=$2 cgroup=$3
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$dir/upper,workdir=$dir/work" "$dir/root" || exit 1
# A control group of its own in every hierarchy, below which systemd keeps its own.
for hierarchy in /sys/fs/cgroup/*/; do
  own=$hierarchy$cgroup
  mkdir -p "$own" 2>/dev/null || continue
  for part in cpus mems; do
    [ -f "$own/cpuset.$part" ] && cat "${hierarchy}cpuset.$part" >"$own/cpuset.$part"
  done
  echo $$ >"$own/cgroup.procs"
done
while :; do
  systemd-nspawn --quiet --keep-unit --register=no -D "$dir/root" -M "$cgroup" --boot </dev/null
  # The code by which nspawn says that the system inside asked to be started anew.
  [ $? = 133 ] || exit
done
