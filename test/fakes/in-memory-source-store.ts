import type { SourceStore } from '../../src/application/ports/backups/source-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import { serverNotFound } from '../../src/domain/access/actor.ts';
import type {
  BackupSource,
  NewBackupSource,
  SourceSettings,
} from '../../src/domain/backups/backup-source.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemorySourceStore implements SourceStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(source: NewBackupSource, record: (source: BackupSource) => ChangeRecord): Promise<BackupSource> {
    if (!this.#world.servers.has(source.serverId)) throw serverNotFound(source.serverId);
    if (this.#present().some(({ serverId, name }) => serverId === source.serverId && name === source.name)) {
      throw new DomainError('name_taken', `The server has a backup source named "${source.name}" already.`);
    }
    const { repositoryId } = source;
    if (repositoryId !== null && !this.#world.repositories.has(repositoryId)) {
      throw new DomainError('repository_not_found', `There is no backup repository with id ${repositoryId}.`);
    }
    const id = this.#world.nextId('sources');
    const added: BackupSource = { ...source, id, lastSuccessAt: null };
    const left = record(added);
    this.#world.sources.set(id, { ...added, removedAt: null });
    this.#world.record.write(left);
    return added;
  }

  async change(id: number, after: SourceSettings, record: ChangeRecord): Promise<BackupSource> {
    const source = this.#world.sources.get(id);
    if (!source || source.removedAt !== null) {
      throw new DomainError('source_not_found', `There is no backup source with id ${id}.`);
    }
    const { removedAt, ...changed } = { ...source, ...after };
    this.#world.sources.set(id, { ...changed, removedAt });
    this.#world.record.write(record);
    return changed;
  }

  async ofServer(serverId: number): Promise<readonly BackupSource[]> {
    return this.#present()
      .filter((source) => source.serverId === serverId)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async find(id: number): Promise<BackupSource | null> {
    return this.#present().find((source) => source.id === id) ?? null;
  }

  async identities(): Promise<readonly Pick<BackupSource, 'id' | 'serverId' | 'repositoryId'>[]> {
    return this.#present().map(({ id, serverId, repositoryId }) => ({ id, serverId, repositoryId }));
  }

  async history(after: number, limit: number): Promise<readonly BackupSource[]> {
    return [...this.#world.sources.values()]
      .map(({ removedAt: _removedAt, ...source }) => source)
      .filter(({ id }) => id > after)
      .slice(0, limit);
  }

  async remove(id: number, at: Instant, record: ChangeRecord): Promise<void> {
    const source = this.#world.sources.get(id);
    if (!source || source.removedAt !== null) {
      throw new DomainError('source_not_found', `There is no backup source with id ${id}.`);
    }
    this.#world.sources.set(id, { ...source, removedAt: at });
    for (const dump of this.#world.dumps.values())
      if (dump.sourceId === id) this.#world.dumps.delete(dump.id);
    this.#world.record.write(record);
  }

  #present(): readonly BackupSource[] {
    return [...this.#world.sources.values()].flatMap(({ removedAt, ...source }) =>
      removedAt === null ? [source] : [],
    );
  }
}
