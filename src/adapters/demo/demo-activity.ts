import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import type { Activity } from '../../domain/fleet/activity.ts';
import type { Inventory } from '../../domain/fleet/inventory.ts';
import { Chance } from './chance.ts';

/** Of one counter: bytes per second on average, and bytes of each night's backup. */
interface Flow {
  readonly perSecond: number;
  readonly nightly: number;
}

/** Periods of what comes and goes, and their parts of the average, which stay below 1 together. */
const WAVES = [
  { everyMs: DAY, part: 0.45 },
  { everyMs: 3.7 * HOUR, part: 0.2 },
  { everyMs: 2.3 * HOUR, part: 0.15 },
] as const;
const NIGHT_MS = 2 * HOUR;
const NIGHT_TAKES_MS = HOUR;

/** Bytes up to a moment: they only grow. */
function total({ perSecond, nightly }: Flow, at: Instant, shift: number): number {
  const seconds = WAVES.reduce((sum, { everyMs, part }) => {
    const turns = everyMs / 1000 / (2 * Math.PI);
    return sum - part * turns * Math.cos((2 * Math.PI * (at + shift * everyMs)) / everyMs);
  }, at / 1000);
  const sinceNight = (at - NIGHT_MS) % DAY;
  const nights = Math.floor((at - NIGHT_MS) / DAY) + Math.min(1, sinceNight / NIGHT_TAKES_MS);
  return perSecond * seconds + nightly * nights;
}

const KIB = 1024;
const MIB = KIB ** 2;

/** What a simulated server has transferred since its boot, and its swap, at a moment up to its inventory. */
export function activityAt(
  id: number,
  { at: foundAt, uptimeSeconds, bootId, memoryTotalBytes, arch }: Omit<Inventory, 'activity'>,
  at: Instant,
): Activity {
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(id * 15_485_863);
  const shift = chance.between(0, 10) / 100;
  const flow = (least: number, most: number, nightly: number): Flow => ({
    perSecond: chance.between(least, most) * KIB,
    nightly: nightly * MIB,
  });
  const flows = [
    flow(40, 900, 40),
    flow(60, 1_800, 2_400),
    flow(10, 400, 9_000),
    flow(80, 700, 300),
  ] as const;
  const latestBoot = foundAt - uptimeSeconds * 1000;
  const isLatest = at >= latestBoot;
  const bootedAt = isLatest ? latestBoot : latestBoot - 400 * DAY;
  const [receivedBytes, sentBytes, readBytes, writtenBytes] = flows.map((each) =>
    Math.round(total(each, at, shift) - total(each, bootedAt, shift)),
  ) as [number, number, number, number];
  const swapTotalBytes = arch === 'aarch64' ? 0 : Math.round(memoryTotalBytes / 4);
  const part =
    0.08 + chance.between(0, 25) / 100 + 0.06 * Math.sin(at / DAY) + 0.02 * Math.sin(at / HOUR / 5);
  return {
    bootId: isLatest ? bootId : `${bootId}-before`,
    receivedBytes,
    sentBytes,
    readBytes,
    writtenBytes,
    swapTotalBytes,
    swapUsedBytes: Math.round(swapTotalBytes * part),
  };
}
