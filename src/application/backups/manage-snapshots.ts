import type { Actor } from '../../domain/access/actor.ts';
import {
  coverageOf,
  lossOf,
  type Snapshot,
  type SnapshotLoss,
  snapshotNotFound,
  snapshotPinned,
} from '../../domain/backups/snapshot.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { MIN_JUMP_MS } from '../../domain/fleet/clock-jump.ts';
import { requireControl, requireControlOfService } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';

/**
 * Pins and deletes single snapshots. Deleting takes a snapshot off the list; the sweep of the store, or the next
 * retention if it is in a repository, frees its data.
 */
export class ManageSnapshots extends UseCase<'snapshots' | 'sources' | 'servers' | 'clock'> {
  /** Pinning again keeps the first time. Only people unpin. Throws `role_missing`, `snapshot_not_found`. */
  async pin(actor: Actor, id: number, pinned: boolean): Promise<Snapshot> {
    const snapshot = await this.#allowed(actor, id, 'snapshot.pin');
    if (!pinned) actor.requireRole('operator', snapshot.serverId);
    if ((snapshot.pinnedAt !== null) === pinned) return snapshot;
    const at = this.deps.clock.now();
    return this.deps.snapshots.pin(id, pinned ? at : null, {
      audit: [
        auditEntry(actor, at, pinned ? 'snapshot.pin' : 'snapshot.unpin', `snapshot:${id}`, about(snapshot)),
      ],
    });
  }

  /** What the source would lose with it. Throws as `remove`, but for the state of the snapshot. */
  async loss(
    actor: Actor,
    id: number,
  ): Promise<{ readonly snapshot: Snapshot; readonly loss: SnapshotLoss | null }> {
    const snapshot = await this.#allowed(actor, id, 'snapshot.delete');
    return { snapshot, loss: lossOf(snapshot, await this.deps.snapshots.ofSource(snapshot.sourceId)) };
  }

  /**
   * Throws `snapshot_not_found`, `snapshot_in_use`, and `snapshot_protected` if it is pinned, or the last good or
   * verified one of its source, unless `confirmLast`.
   */
  async remove(
    actor: Actor,
    id: number,
    { confirmLast }: { readonly confirmLast: boolean },
  ): Promise<Snapshot> {
    const { snapshot, loss } = await this.loss(actor, id);
    if (snapshot.pinnedAt !== null) throw snapshotPinned(id);
    if (loss !== null && !confirmLast) {
      throw new DomainError(
        'snapshot_protected',
        `Snapshot ${id} is the last ${loss === 'last_good' ? 'good' : 'verified'} one of ${snapshot.sourceName}. Confirm that you want to delete the last one.`,
      );
    }
    await this.deps.snapshots.remove(id, {
      audit: [
        auditEntry(actor, this.deps.clock.now(), 'snapshot.delete', `snapshot:${id}`, {
          ...about(snapshot),
          loss,
        }),
      ],
    });
    // A server is only as well backed up as its remaining snapshots.
    const { servers, snapshots, clock } = this.deps;
    const covered = await snapshots.coverage(snapshot.serverId, clock.now() + MIN_JUMP_MS);
    await servers.learn(snapshot.serverId, coverageOf(covered));
    return snapshot;
  }

  async #allowed(actor: Actor, id: number, use: 'snapshot.pin' | 'snapshot.delete'): Promise<Snapshot> {
    actor.require('edit', 'any server');
    actor.requireFeature('backup');
    actor.requireNoApproval();
    // A leaked token must not be able to delete backups.
    if (use === 'snapshot.delete') actor.requireRole('operator', 'any server');
    const { snapshots, servers, sources } = this.deps;
    const snapshot = await snapshots.find(id);
    if (!snapshot || !actor.maySee(snapshot.serverId)) throw snapshotNotFound(id);
    actor.require('edit', snapshot.serverId);
    if (use === 'snapshot.delete') actor.requireRole('operator', snapshot.serverId);
    const [server, source] = await Promise.all([
      servers.find(snapshot.serverId),
      sources.find(snapshot.sourceId),
    ]);
    if (server) requireControl(actor, server, use);
    if (use === 'snapshot.delete' && source?.kind === 'service') requireControlOfService(actor);
    return snapshot;
  }
}

const about = ({ serverId, sourceName, name }: Snapshot) => ({ serverId, source: sourceName, name });
