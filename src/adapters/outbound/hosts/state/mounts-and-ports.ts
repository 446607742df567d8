import { FIRST_HANDED_OUT, type ListeningPort, portText } from '../../../../domain/fleet/host-health.ts';
import type { StateFacts } from '../../../../domain/fleet/host-state.ts';
import type { Sections } from '../shell/marked-sections.ts';
import { factsByName } from './facts-by-name.ts';

export const MOUNTS = String.raw`
mounts() { section state-mounts 1000000 cat /proc/self/mounts; }
`;

/** Made and removed by the system, containers or sign-ins, not by people. */
const KERNEL_TYPES =
  /^(?:proc|sysfs|cgroup2?|dev(?:pts|tmpfs)|tmpfs|ramfs|rootfs|mqueue|hugetlbfs|(?:security|debug|trace|config|bpf|pstore|efivar|fusectl|ns|binder)(?:fs)?|selinuxfs|efivarfs|autofs|binfmt_misc|rpc_pipefs|nfsd|squashfs|fuse\.(?:gvfsd-fuse|portal|lxcfs|snapfuse))$/;
const SYSTEM_PLACES =
  /^\/(?:proc|sys|dev|run|snap|var\/lib\/(?:docker|containers|containerd|kubelet|lxcfs))(?:\/|$)/;

/** `/srv` → `/dev/sdb1, ext4, writable`. */
export const readMounts = (sections: Sections): StateFacts =>
  factsByName('mount', sections.get('state-mounts'), (line) => {
    const [device = '', place = '', type = '', options = ''] = line.split(' ', 4).map(unescaped);
    if (place === '' || KERNEL_TYPES.test(type) || SYSTEM_PLACES.test(place)) return null;
    return [place, `${device}, ${type}, ${options.split(',').includes('ro') ? 'read-only' : 'writable'}`];
  });

/** fstab(5): blanks, tabs, line ends and backslashes as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\(040|011|012|134)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

/** Sockets that listen: TCP in state 0A, UDP without a peer (07). Other connections are not printed. */
export const LISTENING = String.raw`
listening() {
  set -- "$@" awk '$4 == "0A" || ($4 == "07" && FILENAME ~ /udp/) { print FILENAME, $2 }'
  for table in tcp tcp6 udp udp6; do
    [ -r "/proc/net/$table" ] && set -- "$@" "/proc/net/$table"
  done
  "$@" </dev/null
}
`;

export const PORTS = `${LISTENING}
ports() { section state-ports 1000000 listening limit 15; }
`;

const SOCKET = /^\/proc\/net\/(tcp|udp)6? ((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/;

/** `tcp 0.0.0.0:22` → `open`. */
export const readPorts = (sections: Sections): StateFacts =>
  factsByName('port', sections.get('state-ports'), (line) => {
    const found = portOf(line);
    return found === null ? null : [portText(found), 'open'];
  });

/** A line of `listening`. */
export function portOf(line: string): ListeningPort | null {
  const [, protocol, address = '', hex = ''] = SOCKET.exec(line) ?? [];
  const port = Number.parseInt(hex, 16);
  if (protocol !== 'tcp' && protocol !== 'udp') return null;
  // UDP clients have such a port for as long as they ask.
  if (protocol === 'udp' && port >= FIRST_HANDED_OUT) return null;
  return { protocol, address: addressOf(address), port };
}

/** The kernel prints each 32 bits in the byte order of the machine: little-endian on nearly all. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname;
}
