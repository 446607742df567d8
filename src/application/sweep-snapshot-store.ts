import type { BackupEngine } from './ports/backup-engine.ts';
import type { SourceStore } from './ports/source-store.ts';

/** Frees what interrupted backups and removals left in the snapshot store. Whole snapshots always stay. */
export class SweepSnapshotStore {
  readonly #engine: BackupEngine;
  readonly #sources: SourceStore;

  constructor(deps: { engine: BackupEngine; sources: SourceStore }) {
    this.#engine = deps.engine;
    this.#sources = deps.sources;
  }

  async execute(): Promise<void> {
    await this.#engine.sweep(await this.#sources.identities());
  }
}
