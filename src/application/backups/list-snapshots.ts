import type { Actor } from '../../domain/access/actor.ts';
import { type Snapshot, snapshotNotFound } from '../../domain/backups/snapshot.ts';
import type { SnapshotOrder } from '../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { controlRefusal } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

export class ListSnapshots extends UseCase<'servers' | 'snapshots'> {
  /** Newest first unless another order is asked for. Throws `server_not_found`. */
  async execute(
    actor: Actor,
    serverId: number,
    page: PageRequest,
    order?: SnapshotOrder,
  ): Promise<Page<Snapshot>> {
    actor.require('read');
    const server = await existingServer(this.deps.servers, actor, serverId);
    const found = await this.deps.snapshots.list({ serverId }, page, order);
    if (!controlRefusal(actor, server, 'snapshot.read')) return found;
    return { ...found, items: found.items.map(withoutContent) };
  }
}

/** Error details of a snapshot contain file names. */
const withoutContent = (snapshot: Snapshot): Snapshot =>
  snapshot.check === null ? snapshot : { ...snapshot, check: { ...snapshot.check, detail: null } };

export class GetSnapshot extends UseCase<'snapshots'> {
  /** Throws `snapshot_not_found`, also for one of a server that the actor may not see. */
  async execute(actor: Actor, id: number): Promise<Snapshot> {
    actor.require('read');
    const snapshot = await this.deps.snapshots.find(id);
    if (!snapshot || !actor.maySee(snapshot.serverId)) throw snapshotNotFound(id);
    return snapshot;
  }
}
