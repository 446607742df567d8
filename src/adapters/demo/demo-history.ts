import { DAY, HOUR, type Instant } from '../../domain/base/instant.ts';
import { FORECAST_FROM_MS, fillingDisk } from '../../domain/fleet/disk-forecast.ts';
import { type Sample, sampleOf } from '../../domain/fleet/sample.ts';
import type { ServerFacts } from '../../domain/fleet/server.ts';
import { Chance } from './chance.ts';
import type { FoundServer } from './demo-servers.ts';

const DAYS = 30;
const HOURS = DAYS * 24;

/** What a server was like before, up to how it was found; the oldest first. */
export function samplesBefore(
  { facts, inventory }: FoundServer,
  { id, now }: { readonly id: number; readonly now: Instant },
): readonly Sample[] {
  // Chance of its own: the rest of the demo stays as it is.
  const chance = new Chance(id * 7_919);
  const latest = sampleOf(inventory, facts);
  const until = facts.contactFailedSince ?? inventory.at;
  const growth = chance.happens(0.4) ? chance.between(6, 22) / 100 : chance.between(-2, 3) / 100;
  return Array.from({ length: HOURS }, (_, index) => inventory.at - (HOURS - index) * HOUR)
    .filter((at) => at < until && !chance.happens(0.004))
    .map((at) => {
      const age = (now - at) / (DAYS * DAY);
      const busy = 0.6 + 0.4 * Math.sin((at / DAY) * 2 * Math.PI);
      const updates = weekly(latest.updates, at);
      return {
        ...latest,
        at,
        load: Math.round(latest.load * busy * chance.between(60, 130)) / 100,
        memoryUsedBytes: Math.round((latest.memoryUsedBytes * chance.between(88, 106)) / 100),
        disks: latest.disks.map((disk) => ({
          ...disk,
          usedBytes: Math.round(disk.usedBytes * (1 - growth * age) * (1 + chance.between(-3, 3) / 2_000)),
        })),
        updates,
        securityUpdates: updates === null ? null : Math.min(updates, latest.securityUpdates ?? 0),
      };
    });
}

/** When a disk is full, as inventories find it. */
export function diskFacts(
  past: readonly Sample[],
  { facts, inventory }: FoundServer,
): Pick<ServerFacts, 'diskFullAt' | 'diskFullMount'> {
  const recent = [...past, sampleOf(inventory, facts)].filter(
    ({ at }) => at >= inventory.at - FORECAST_FROM_MS,
  );
  const filling = fillingDisk(recent);
  return { diskFullAt: filling?.at ?? null, diskFullMount: filling?.mount ?? null };
}

/** Updates pile up over a week, until Sunday night. */
const weekly = (count: number | null, at: Instant): number | null =>
  count === null ? null : Math.round((count * ((Math.floor(at / DAY) + 4) % 7)) / 6);
