import type { FleetHost } from './host.ts';

/** `busybox`: all its tools are busybox's, as on Alpine. `debian`: the tools of a minimal Debian, as in its official image. */
export type PlainTools = 'busybox' | 'debian';

/**
 * $1: the name, $2: the tools, $3: sshd's port, $4: the key that may sign in. Image and container have sshd, a shell and
 * those tools, and nothing else: no rsync, no bash in the first, no sudo, no python.
 */
const RUN = String.raw`set -e
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
bring() {
  cp -L --parents "$@" "$root"
  { ldd "$@" 2>/dev/null || :; } | grep -o '/[^ ]*' | grep -v ':$' | sort -u | xargs -r cp -L --parents -t "$root"
}
mkdir -p "$root/bin" "$root/run/sshd" "$root/var/tmp" "$root/srv" "$root/proc"
install -d -m 1777 "$root/tmp"
bring /usr/sbin/sshd
case $2 in
  busybox)
    cp /bin/busybox "$root/bin/busybox"
    chroot "$root" /bin/busybox --install -s /bin
    echo 'NAME="Alpine Linux"
ID=alpine
VERSION_ID=3.20.0
PRETTY_NAME="Alpine Linux v3.20"' >"$root/os-release" ;;
  debian)
    bring $(dpkg -L coreutils findutils tar dash bash sed grep hostname | grep -E '^(/usr)?/s?bin/.')
    bring /usr/bin/mawk
    cp -L /usr/bin/mawk "$root/usr/bin/awk"
    cp -L /etc/os-release "$root/os-release" ;;
esac
install -D -m 644 "$root/os-release" "$root/etc/os-release"
rm "$root/os-release"
printf 'root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n' >"$root/etc/passwd"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
cp -a --parents /etc/ssh/sshd_config /etc/ssh/ssh_host_ed25519_key "$root"
install -d -m 700 "$root/root" "$root/root/.ssh"
printf '%s\n' "$4" >"$root/root/.ssh/authorized_keys"
tar -C "$root" -c . | docker import - "localhost/$1:1" >&2
docker run -d --name "$1" --network host "localhost/$1:1" /usr/sbin/sshd -D -e -p "$3" >&2
for n in $(seq 600); do (exec 3<>"/dev/tcp/127.0.0.1/$3") 2>/dev/null && exit 0; sleep 0.1; done
docker logs "$1" >&2
exit 1`;

/** Runs a container that is reached by SSH at the host's address and `port`, with the host's own key. */
export async function runPlainContainer(
  host: FleetHost,
  container: { readonly name: string; readonly tools: PlainTools; readonly port: number },
  publicKey: string,
): Promise<void> {
  await host.exec(RUN, [container.name, container.tools, String(container.port), publicKey]);
}

/** Runs a POSIX script in it as root. */
export function inContainer(
  host: FleetHost,
  name: string,
  script: string,
  args: readonly string[],
): Promise<string> {
  return host.exec('docker exec -i "$1" sh -c "$2" sh "${@:3}"', [name, script, ...args]);
}
