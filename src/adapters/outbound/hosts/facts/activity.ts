import type { Activity } from '../../../../domain/fleet/activity.ts';
import { firstLines } from '../shell/host-lines.ts';
import { wholeNumber } from '../shell/host-text.ts';
import type { Section, Sections } from '../shell/marked-sections.ts';
import { memorySizes } from './machine.ts';

/**
 * Bytes of network cards and sectors of disks since the boot, one line each. Bridges, tunnels and mapped devices are not
 * counted: their data goes through others. A container has interfaces without a device, and no disk.
 */
export const ACTIVITY = String.raw`
activity() {
  section_here network network_bytes
  section_here disk-io disk_sectors
}
network_bytes() {
  count=0
  for each in /sys/class/net/*; do
    [ -e "$each/device" ] && [ "$count" -lt 64 ] && read -r received <"$each/statistics/rx_bytes" && read -r sent <"$each/statistics/tx_bytes" || continue
    printf '%s %s\n' "$received" "$sent"
    count=$((count + 1))
  done
  [ "$count" -gt 0 ] || [ ! -r /proc/net/dev ] || while read -r name received _ _ _ _ _ _ _ sent _; do
    case $name in
      lo: | *[!:]) ;;
      *) [ "$count" -lt 64 ] && printf '%s %s\n' "$received" "$sent" && count=$((count + 1)) ;;
    esac
  done </proc/net/dev
}
disk_sectors() {
  count=0
  case $kind in '' | none) ;; *) return ;; esac
  for each in /sys/block/*; do
    [ -e "$each/device" ] && [ "$count" -lt 256 ] && read -r _ _ sectors _ _ _ written _ <"$each/stat" || continue
    printf '%s %s\n' "$sectors" "$written"
    count=$((count + 1))
  done
}
`;

/** Of the kernel's counters, whatever the disk's own sectors are. */
const SECTOR = 512;
const MAX_DEVICES = 256;

/** A counter is unknown if a line of it is unclear: a sum without that would be wrong. */
export function readActivity(sections: Sections, bootId: string | null): Activity {
  const [receivedBytes, sentBytes] = sums(sections.get('network'), 1);
  const [readBytes, writtenBytes] = sums(sections.get('disk-io'), SECTOR);
  const sizes = memorySizes(sections.get('memory')?.text ?? '');
  const swapTotalBytes = sizes.get('SwapTotal') ?? null;
  const free = sizes.get('SwapFree') ?? null;
  const swapUsedBytes = swapTotalBytes === null || free === null ? null : Math.max(0, swapTotalBytes - free);
  return { bootId, receivedBytes, sentBytes, readBytes, writtenBytes, swapTotalBytes, swapUsedBytes };
}

function sums(section: Section | undefined, unit: number): readonly [number | null, number | null] {
  let [first, second] = [0, 0];
  const lines = Array.from(firstLines(section?.text ?? '', MAX_DEVICES, 100)).filter((line) => line !== '');
  for (const line of lines) {
    const [one, other] = line.split(' ', 2).map((word) => wholeNumber(word));
    first += unit * (one ?? Number.NaN);
    second += unit * (other ?? Number.NaN);
  }
  if (lines.length === 0 || !Number.isSafeInteger(first) || !Number.isSafeInteger(second))
    return [null, null];
  return [first, second];
}
