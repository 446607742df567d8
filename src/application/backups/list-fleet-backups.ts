import type { Actor } from '../../domain/access/actor.ts';
import type { BackupFilter, BackupTotals } from '../../domain/backups/backup-totals.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { BackupBounds, FleetBackups, ServerBackup } from '../ports/backups/fleet-backups.ts';
import type { Clock } from '../ports/base/clock.ts';

/** Days of the strip of each server. */
export const STRIP_DAYS = 14;
/** A backup that was not verified for longer counts as not verified. */
export const VERIFIED_DAYS = 30;

interface Deps {
  readonly fleetBackups: FleetBackups;
  readonly clock: Clock;
  readonly backupStaleHours: number;
}

type Found = Page<ServerBackup & { readonly stale: boolean }> & {
  readonly staleHours: number;
  /** The first day of the strips. */
  readonly daysFrom: Instant;
};

/** How the fleet is backed up, the worst first. */
export class ListFleetBackups {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(
    actor: Actor,
    { only, limit, offset }: PageRequest & { readonly only?: BackupFilter | undefined },
  ): Promise<Found> {
    actor.require('read');
    const now = this.#deps.clock.now();
    const bounds = this.#bounds(now);
    const daysFrom = now - (now % DAY) - (STRIP_DAYS - 1) * DAY;
    const query = { ...bounds, only, daysFrom, limit, offset };
    const found = await this.#deps.fleetBackups.list(visibleIds(actor), query);
    const items = found.items.map((each) => ({
      ...each,
      stale: each.lastBackupAt === null || each.lastBackupAt < bounds.staleBefore,
    }));
    return { ...found, items, daysFrom, staleHours: this.#deps.backupStaleHours };
  }

  totals(actor: Actor): Promise<BackupTotals> {
    actor.require('read');
    return this.#deps.fleetBackups.totals(visibleIds(actor), this.#bounds(this.#deps.clock.now()));
  }

  #bounds(now: Instant): BackupBounds {
    return {
      staleBefore: staleBefore(now, this.#deps.backupStaleHours),
      verifiedBefore: now - VERIFIED_DAYS * DAY,
    };
  }
}
