import type { Actor } from '../../domain/access/actor.ts';
import type { BackupTotals, Space } from '../../domain/backups/backup-totals.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { lastDays } from '../../domain/fleet/day-strip.ts';
import { isBackupOld, staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { BackupBounds, BackupQuery, ServerBackup } from '../ports/backups/fleet-backups.ts';

/** Days of the strip of each server. */
export const STRIP_DAYS = 14;
/** A backup that was not verified for longer counts as not verified. */
export const VERIFIED_DAYS = 30;

type FleetBackupPage = Page<ServerBackup & { readonly stale: boolean }> & {
  readonly staleHours: number;
};

/** How the fleet is backed up, the worst first unless another order is asked for. */
export class ListFleetBackups extends UseCase<'fleetBackups' | 'storeSpace' | 'clock' | 'backupStaleHours'> {
  async execute(
    actor: Actor,
    { only, q, order, limit, offset }: PageRequest & Pick<BackupQuery, 'only' | 'q' | 'order'>,
  ): Promise<FleetBackupPage> {
    actor.require('read');
    const now = this.deps.clock.now();
    const bounds = this.#bounds(now);
    const days = lastDays(now, STRIP_DAYS);
    const query = { ...bounds, only, q, order, daysFrom: days[0] ?? now, limit, offset };
    const found = await this.deps.fleetBackups.list(visibleIds(actor), query);
    const items = found.items.map((each) => ({
      ...each,
      stale: isBackupOld(each.lastBackupAt, each.addedAt, bounds.staleBefore),
      days: days.map(
        (day) => each.days.find((known) => known.day === day) ?? { day, succeeded: 0, failed: 0, bytes: 0 },
      ),
    }));
    return { ...found, items, staleHours: this.deps.backupStaleHours };
  }

  totals(actor: Actor): Promise<BackupTotals> {
    actor.require('read');
    return this.deps.fleetBackups.totals(visibleIds(actor), this.#bounds(this.deps.clock.now()));
  }

  /** The disk that holds the backups, except those in repositories; `null` if it is unknown. */
  space(actor: Actor): Promise<Space | null> {
    actor.require('read');
    return this.deps.storeSpace.now();
  }

  #bounds(now: Instant): BackupBounds {
    return {
      staleBefore: staleBefore(now, this.deps.backupStaleHours),
      verifiedBefore: now - VERIFIED_DAYS * DAY,
    };
  }
}
