import { type DiskFact, MAX_DISKS } from '../../../../domain/fleet/inventory.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText, wholeNumber } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

/**
 * The root, whatever its device, then file systems on local disks, each device once (each pool for zfs). Others are
 * not queried: `df` hangs on a network mount whose server is down. The root is queried without a limit: if it hangs,
 * nothing starts at all. /proc/self/mounts has blanks as \040.
 */
export const DISKS = String.raw`
disks() { section_here disks disk_rows; }
disk_rows() {
  root_type=unknown seen=' ' count=1
  while read -r device mount type rest; do
    [ "$mount" = / ] && root_type=$type seen=" $device "
  done </proc/self/mounts
  disk_row "$root_type" df -P -k -- /
  while read -r device mount type rest; do
    case $type in
      ext[234] | xfs | btrfs | zfs | f2fs | jfs | reiserfs | bcachefs | nilfs2 | vfat | exfat | ntfs | ntfs3 | fuseblk) ;;
      *) continue ;;
    esac
    [ "$type" = zfs ] && device=$(printf '%s\n' "$device" | cut -d / -f 1)
    case $seen in *" $device "*) continue ;; esac
    seen="$seen$device "
    case $mount in
      *\\*) mount=$(printf '%b' "$(printf '%s' "$mount" | sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g')") ;;
    esac
    [ -d "$mount" ] || continue
    count=$((count + 1))
    [ "$count" -le 100 ] || break
    disk_row "$type" limit 5 df -P -k -- "$mount"
  done </proc/self/mounts
}
disk_row() {
  row_type=$1
  shift
  row=$("$@" </dev/null)
  printf '%s %s\n' "$row_type" "${'$'}{row##*
}"
}
`;

const KIB = 1024;

export function readDisks(sections: Sections): readonly DiskFact[] {
  const rows = Array.from(firstLines(sections.get('disks')?.text ?? '', MAX_DISKS));
  return rows.flatMap((row) => {
    const { type, total, used, mount } = cellsOf(row);
    const filesystem = plainText(type);
    const totalKib = wholeNumber(total);
    const usedKib = wholeNumber(used);
    const at = plainText(mount);
    if (filesystem === null || totalKib === null || usedKib === null || at === null) return [];
    const totalBytes = totalKib * KIB;
    const usedBytes = Math.min(usedKib * KIB, totalBytes);
    return Number.isSafeInteger(totalBytes) ? [{ mount: at, filesystem, totalBytes, usedBytes }] : [];
  });
}

/**
 * A device or a mount point may contain blanks: the numbers precede the percentage, and that precedes the mount
 * point.
 */
const SHARE = / (?:\d{1,4}%|-) \//;

/**
 * Of `ext4 /dev/vda1 263174212 23041980 82450620 22% /`: type, device, total KiB, used, available, percentage, mount
 * point.
 */
function cellsOf(row: string): Partial<Record<'type' | 'total' | 'used' | 'mount', string | undefined>> {
  const share = SHARE.exec(row);
  if (share === null) return {};
  const [type, ...before] = row.slice(0, share.index).trimEnd().split(/ +/);
  const [total, used, left] = before.slice(-3);
  const isRow = before.length > 3 && /^-?\d{1,13}$/.test(left ?? '');
  return isRow ? { type, total, used, mount: row.slice(share.index + share[0].length - 1) } : {};
}
