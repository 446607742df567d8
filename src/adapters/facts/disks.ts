import { firstLines, plainText, wholeNumber } from '../../application/remote-host/host-text.ts';
import type { Sections } from '../../application/remote-host/marked-sections.ts';
import { type DiskFact, MOST_DISKS } from '../../domain/inventory.ts';

/**
 * The root, whatever it is on, then file systems on local disks, each device once (each pool for zfs). Others are
 * not even asked: `df` hangs on a network mount whose server is gone. The root is asked without a limit: where it hangs,
 * nothing starts at all. /proc/self/mounts has blanks as \040.
 */
export const DISKS = String.raw`
disks() { section_here disks disk_rows; }
disk_rows() {
  root_type=unknown seen=' ' told=1
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
    told=$((told + 1))
    [ "$told" -le 100 ] || break
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

/** `ext4 /dev/vda1 263174212 23041980 82450620 22% /`: type, device, KiB in all, used, left, share, mount point. */
const ROW = /^(\S{1,40}) .{1,300}? +(\d{1,13}) +(\d{1,13}) +-?\d{1,13} +(?:\d{1,4}%|-) (\/.{0,1000})$/;
const KIB = 1024;

export function readDisks(sections: Sections): readonly DiskFact[] {
  const rows = Array.from(firstLines(sections.get('disks')?.text ?? '', MOST_DISKS));
  return rows.flatMap((row) => {
    const [, type, total, used, mount] = ROW.exec(row) ?? [];
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
