import type { Actor } from '../domain/actor.ts';
import { staleBefore } from '../domain/fleet-conditions.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { visibleIds } from './list-servers.ts';
import type { Clock } from './ports/clock.ts';
import type { FleetBackups, ServerBackup } from './ports/fleet-backups.ts';

/** How the fleet is backed up, the worst first. */
export class ListFleetBackups {
  readonly #fleet: FleetBackups;
  readonly #clock: Clock;
  readonly #staleHours: number;

  constructor(deps: { fleetBackups: FleetBackups; clock: Clock; backupStaleHours: number }) {
    this.#fleet = deps.fleetBackups;
    this.#clock = deps.clock;
    this.#staleHours = deps.backupStaleHours;
  }

  async execute(
    actor: Actor,
    page: PageRequest,
  ): Promise<Page<ServerBackup & { readonly stale: boolean }> & { readonly staleHours: number }> {
    actor.require('read');
    const before = staleBefore(this.#clock.now(), this.#staleHours);
    const found = await this.#fleet.list(visibleIds(actor), page);
    const items = found.items.map((each) => ({
      ...each,
      stale: each.lastBackupAt === null || each.lastBackupAt < before,
    }));
    return { ...found, items, staleHours: this.#staleHours };
  }
}
