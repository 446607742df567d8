import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { FleetBackups, ServerBackup } from '../ports/backups/fleet-backups.ts';
import type { Clock } from '../ports/base/clock.ts';

interface Deps {
  readonly fleetBackups: FleetBackups;
  readonly clock: Clock;
  readonly backupStaleHours: number;
}

/** How the fleet is backed up, the worst first. */
export class ListFleetBackups {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(
    actor: Actor,
    page: PageRequest,
  ): Promise<Page<ServerBackup & { readonly stale: boolean }> & { readonly staleHours: number }> {
    actor.require('read');
    const before = staleBefore(this.#deps.clock.now(), this.#deps.backupStaleHours);
    const found = await this.#deps.fleetBackups.list(visibleIds(actor), page);
    const items = found.items.map((each) => ({
      ...each,
      stale: each.lastBackupAt === null || each.lastBackupAt < before,
    }));
    return { ...found, items, staleHours: this.#deps.backupStaleHours };
  }
}
