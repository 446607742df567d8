import { Actor } from '../../domain/access/actor.ts';
import type { BackupSource } from '../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../domain/backups/snapshot.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { Reach, TransferWatch } from '../ports/backups/backup-engine.ts';

/** The audit log's action for a snapshot that was listed after a crash. */
export const ADOPTED = 'snapshot.adopt';

/**
 * Reconciles list and store after a crash. A backup publishes, then records; a removal is recorded with the change of
 * the list, then done. So data in the store without a list entry is removed if that was recorded, and listed if not.
 * Safe beside backups, removals and other services: recording is idempotent.
 */
export class SettleSnapshots extends UseCase<'engines' | 'snapshots' | 'clock' | 'audit.record'> {
  async adopt(source: BackupSource): Promise<readonly NewSnapshot[]> {
    const { unlisted, removed } = await this.#compare(source);
    const adopted = unlisted.filter(({ name }) => !removed.has(name));
    for (const found of adopted) {
      const { id } = await this.deps.snapshots.add(found);
      const detail = { serverId: source.serverId, source: source.name, name: found.name };
      const [system, at] = [Actor.system('backups'), this.deps.clock.now()];
      await this.deps.audit.record(auditEntry(system, at, ADOPTED, `snapshot:${id}`, detail));
    }
    return adopted;
  }

  async finishRemovals(
    source: BackupSource,
    reach: Reach,
    watch: TransferWatch,
  ): Promise<readonly NewSnapshot[]> {
    const { unlisted, removed } = await this.#compare(source);
    const doomed = unlisted.filter(({ name }) => removed.has(name));
    for (const found of doomed) await this.deps.engines.of(source).remove(found, reach, watch);
    return doomed;
  }

  /** Deletes the record of removed snapshots once nothing of them is in the store. */
  async forget(source: BackupSource): Promise<void> {
    const { trees, removed } = await this.#compare(source);
    const there = new Set(trees.map(({ name }) => name));
    const gone = [...removed].filter((name) => !there.has(name));
    if (gone.length > 0) await this.deps.snapshots.forgetRemoved(source.id, gone);
  }

  /** Reads the store before the list, so that concurrent records and removals do no harm. */
  async #compare(source: BackupSource): Promise<{
    readonly trees: readonly NewSnapshot[];
    readonly unlisted: readonly NewSnapshot[];
    readonly removed: ReadonlySet<string>;
  }> {
    const trees = await this.deps.engines.of(source).published(source);
    const { listed, removed } = await this.deps.snapshots.known(source.id);
    return { trees, unlisted: trees.filter(({ name }) => !listed.has(name)), removed };
  }
}
