import type {
  RepositoryChange,
  RepositoryStore,
  StoredRepository,
} from '../../src/application/ports/backups/repository-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { BackupRepository, NewBackupRepository } from '../../src/domain/backups/backup-repository.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryRepositoryStore implements RepositoryStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(
    repository: NewBackupRepository,
    seal: (id: number) => string,
    record: (repository: BackupRepository) => ChangeRecord,
  ): Promise<StoredRepository> {
    this.#refuseTaken(repository.name, null);
    const id = this.#world.nextId('repositories');
    const added = { ...repository, id, initialisedAt: null, sealedSecrets: seal(id) };
    const left = record(added);
    this.#world.repositories.set(id, added);
    this.#world.record.write(left);
    return added;
  }

  async find(id: number): Promise<StoredRepository | null> {
    return this.#world.repositories.get(id) ?? null;
  }

  async findByName(name: string): Promise<StoredRepository | null> {
    return this.#all().find((each) => each.name === name) ?? null;
  }

  async ofSource(sourceId: number): Promise<StoredRepository | null> {
    const id = this.#world.sources.get(sourceId)?.repositoryId;
    return id === undefined || id === null ? null : this.find(id);
  }

  async list(): Promise<readonly StoredRepository[]> {
    return this.#all().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async markInitialised(id: number, at: Instant): Promise<void> {
    const found = this.#world.repositories.get(id);
    if (found) this.#world.repositories.set(id, { ...found, initialisedAt: found.initialisedAt ?? at });
  }

  async change(
    id: number,
    change: RepositoryChange,
    record: (repository: BackupRepository) => ChangeRecord,
  ): Promise<StoredRepository> {
    const before = this.#world.repositories.get(id);
    if (!before)
      throw new DomainError('repository_not_found', `There is no backup repository with id ${id}.`);
    if (change.name !== undefined) this.#refuseTaken(change.name, id);
    const changed = { ...before, ...change };
    const left = record(changed);
    this.#world.repositories.set(id, changed);
    this.#world.record.write(left);
    return changed;
  }

  async remove(id: number, _at: Instant, record: ChangeRecord): Promise<void> {
    if (!this.#world.repositories.has(id)) {
      throw new DomainError('repository_not_found', `There is no backup repository with id ${id}.`);
    }
    const withSnapshots = new Set(this.#world.snapshotSources.values());
    const user = [...this.#world.sources.values()].find(
      (source) => source.repositoryId === id && (source.removedAt === null || withSnapshots.has(source.id)),
    );
    if (user) throw new DomainError('repository_in_use', `The source "${user.name}" needs it.`);
    this.#world.repositories.delete(id);
    this.#world.record.write(record);
  }

  #refuseTaken(name: string, except: number | null): void {
    if (this.#all().some((each) => each.name === name && each.id !== except))
      throw new DomainError('name_taken', `There is a backup repository named "${name}" already.`);
  }

  #all(): readonly StoredRepository[] {
    return [...this.#world.repositories.values()];
  }
}
