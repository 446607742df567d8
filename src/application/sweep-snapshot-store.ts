import type { BackupEngines } from './ports/backup-engine.ts';
import type { SourceStore } from './ports/source-store.ts';

/** Frees what interrupted backups and removals left in the snapshot store. Whole snapshots always stay. */
export class SweepSnapshotStore {
  readonly #engines: BackupEngines;
  readonly #sources: SourceStore;

  constructor(deps: { engines: BackupEngines; sources: SourceStore }) {
    this.#engines = deps.engines;
    this.#sources = deps.sources;
  }

  async execute(): Promise<void> {
    const known = await this.#sources.identities();
    for (const engine of this.#engines.all) await engine.sweep(known);
  }
}
