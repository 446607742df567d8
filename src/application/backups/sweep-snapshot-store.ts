import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { SettleSnapshots } from './settle-snapshots.ts';

const PAGE = 200;

/**
 * Frees what deleted snapshots and interrupted backups and removals left in the snapshot store, and records complete snapshots without a
 * record: for every source that ever existed, whether or not it is backed up again.
 */
export class SweepSnapshotStore extends UseCase<
  'engines' | 'sources' | 'log',
  { readonly settleSnapshots: SettleSnapshots }
> {
  async execute(signal: AbortSignal): Promise<void> {
    let after = 0;
    for (;;) {
      const page = await this.deps.sources.history(after, PAGE);
      for (const source of page) {
        if (signal.aborted) return;
        await this.#settleAlone(source, signal);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
    const known = await this.deps.sources.identities();
    for (const engine of this.deps.engines.all) await engine.sweep(known);
  }

  /** One source whose store is damaged must not keep the others from their turn. */
  async #settleAlone(source: BackupSource, signal: AbortSignal): Promise<void> {
    const about = { serverId: source.serverId, source: source.name };
    try {
      for (const { name } of await this.deps.settleSnapshots.adopt(source))
        this.deps.log.warn('listed a whole snapshot that an interrupted backup had left', {
          ...about,
          name,
        });
      // Data in a repository is removed on its server, by the next retention.
      if (source.repositoryId === null) {
        const watch = { signal, log: () => undefined, progress: () => undefined };
        for (const { name } of await this.deps.settleSnapshots.finishRemovals(source, outOfReach, watch))
          this.deps.log.info('removed the data of a deleted snapshot', { ...about, name });
      }
      await this.deps.settleSnapshots.forget(source);
    } catch (error) {
      this.deps.log.warn('could not compare the snapshot store with the list', {
        ...about,
        error: String(error),
      });
    }
  }
}

const outOfReach = (): Promise<never> =>
  Promise.reject(new DomainError('host_unreachable', 'The sweep of the snapshot store uses no host.'));
