#!/bin/bash
# Pid 1 of one test host, in mount, pid, network, hostname and ipc namespaces of its own: builds the host's
# root file system, waits for its network card, and becomes its sshd (which also reaps orphans, as an init does).
# host-init.sh DIR LOWER_DIRS NAME ADDRESS/PREFIX GATEWAY none|docker|podman
set -eu
dir=$1 lower=$2 name=$3 address=$4 gateway=$5 engine=$6
root=$dir/root

# /proc still shows the namespace outside: this is the pid by which the test can reach the host.
read -r outer_pid _ </proc/self/stat
read -r -a stat </proc/self/stat

# The kernel may still be letting go of the mount of the host's former life.
tries=0
until mount -t overlay overlay -o "lowerdir=$lower,upperdir=$dir/upper,workdir=$dir/work" "$root"; do
  tries=$((tries + 1))
  [ "$tries" -lt 50 ]
  sleep 0.02
done

mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir -p "$root/run/sshd" "$root/run/lock"
# A new boot id each time that the host starts, as on a machine.
cat /proc/sys/kernel/random/uuid >"$dir/boot_id"
mount --bind "$dir/boot_id" "$root/proc/sys/kernel/random/boot_id"

mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
  : >"$root/dev/$node"
  mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"

hostname "$name"
echo "$outer_pid ${stat[21]}" >"$dir/pid.new"
mv "$dir/pid.new" "$dir/pid"

tries=0
until ip link set eth0 up 2>/dev/null; do
  tries=$((tries + 1))
  [ "$tries" -lt 500 ]
  sleep 0.02
done
ip link set lo up
ip addr add "$address" dev eth0
ip route add default via "$gateway"

cd "$root"
# The engine keeps its data beside the host's disk, since an overlay is no place for overlays.
keep() {
  mkdir -p "$dir/engine" "$root$1"
  mount --bind "$dir/engine" "$root$1"
}
if [ "$engine" = podman ]; then
  keep /var/lib/containers
  exec bash "${0%/*}/systemd-init.sh" "$root" "drover-fleet-${stat[21]}"
fi
if [ "$engine" = docker ]; then
  keep /var/lib/docker
  mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
  exec 8>"$dir/dockerd.log" 9>"$dir/registry.log"
  # Not by chroot alone: a container's way out of its own root would end at the root of this machine.
  pivot_root . .
  umount --lazy .
  cd /
  setsid dockerd --cgroup-parent "/drover-fleet-${stat[21]}" --storage-driver overlay2 </dev/null >&8 2>&1 8>&- 9>&- &
  setsid docker-registry serve /etc/drover-registry.yml </dev/null >&9 2>&1 8>&- 9>&- &
  exec 8>&- 9>&-
  exec /usr/sbin/sshd -D
fi
exec chroot "$root" /usr/sbin/sshd -D
