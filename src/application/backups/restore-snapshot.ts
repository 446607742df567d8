import type { Actor } from '../../domain/access/actor.ts';
import { type Snapshot, snapshotNotFound } from '../../domain/backups/snapshot.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireControl, requireControlOfService } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { whileHeld } from '../base/while-held.ts';
import { existingServer } from '../fleet/get-server.ts';
import type { HostOpener } from '../fleet/host-opener.ts';
import type { TransferWatch } from '../ports/backups/backup-engine.ts';
import type { RemoteHost } from '../ports/fleet/remote-host.ts';

export interface RestoreOrder {
  readonly snapshotId: number;
  /** `here`: a directory of the machine that the service runs on; `host`: one of the server that the snapshot is of. */
  readonly where: 'here' | 'host';
  /** `/` on the host restores everything to its original place. */
  readonly directory: string;
  /** Paths in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  readonly overwrite: boolean;
}

/** Restores files from a snapshot, and verifies them. For users only. */
export class RestoreSnapshot extends UseCase<
  'snapshots' | 'servers' | 'hosts' | 'engines' | 'audit' | 'clock',
  { readonly opener: HostOpener }
> {
  /** Throws `snapshot_not_found`, `snapshot_damaged`, `restore_target_not_empty`, `disk_full`, and as connecting does. */
  async execute(
    actor: Actor,
    order: RestoreOrder,
    watch: TransferWatch,
  ): Promise<{ readonly snapshot: Snapshot; readonly files: number; readonly bytes: number }> {
    if (actor.kind === 'token') {
      throw new DomainError(
        'scope_missing',
        'API tokens cannot restore. Ask an operator to run `drover restore`.',
      );
    }
    const snapshot = await this.deps.snapshots.find(order.snapshotId);
    if (!snapshot || !actor.maySee(snapshot.serverId)) throw snapshotNotFound(order.snapshotId);
    actor.requireRole('operator', snapshot.serverId);
    const { directory, where, subpaths, overwrite } = order;
    if (where === 'here') requireControlOfService(actor);
    else {
      const server = await existingServer(this.deps.servers, actor, snapshot.serverId);
      requireControl(actor, server, 'job.restore');
    }
    const note = (outcome: string, counts: object): Promise<void> =>
      this.deps.audit.record(
        auditEntry(
          actor,
          this.deps.clock.now(),
          'snapshot.restore',
          `snapshot:${snapshot.id}`,
          {
            serverId: snapshot.serverId,
            where,
            directory,
            subpaths: subpaths.slice(0, 20),
            overwrite,
            ...counts,
          },
          outcome,
        ),
      );
    try {
      const restored = await whileHeld(
        { snapshots: this.deps.snapshots, clock: this.deps.clock },
        snapshot,
        () => this.#restore(actor, snapshot, order, watch),
      );
      await note('done', restored);
      return { snapshot, ...restored };
    } catch (error) {
      await note(isDomainError(error) ? error.code : 'internal', {});
      throw error;
    }
  }

  async #restore(
    actor: Actor,
    snapshot: Snapshot,
    { where, directory, subpaths, overwrite }: RestoreOrder,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }> {
    const host = where === 'here' ? await this.#thisMachine() : await this.#serverOf(actor, snapshot, watch);
    const order = { snapshot, directory, host, subpaths, overwrite };
    let origin: RemoteHost | null = null;
    const reach = async (): Promise<RemoteHost> => (origin ??= await this.#serverOf(actor, snapshot, watch));
    try {
      const engine = this.deps.engines.of(snapshot);
      return await engine.restore(where === 'here' ? { ...order, origin: reach } : order, watch);
    } finally {
      host.release();
      (origin as RemoteHost | null)?.release();
    }
  }

  #thisMachine(): Promise<RemoteHost> {
    return this.deps.hosts.connect({
      kind: 'local',
      serverId: 0,
      serverName: 'this machine',
      become: 'none',
    });
  }

  async #serverOf(actor: Actor, snapshot: Snapshot, watch: TransferWatch): Promise<RemoteHost> {
    const server = await existingServer(this.deps.servers, actor, snapshot.serverId);
    return this.deps.opener.open(server, { signal: watch.signal, purpose: 'bulk' });
  }
}
