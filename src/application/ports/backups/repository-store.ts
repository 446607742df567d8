import type { BackupRepository, NewBackupRepository } from '../../../domain/backups/backup-repository.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** A repository with its secrets as JSON, encrypted for the place `backup_repositories|secrets|<id>`. */
export interface StoredRepository extends BackupRepository {
  readonly sealedSecrets: string;
}

export type RepositoryChange = Partial<Pick<StoredRepository, 'name' | 'kind' | 'url' | 'sealedSecrets'>>;

/** Backup repositories outside the service. */
export interface RepositoryStore {
  /** Encrypts with the callback once the id is known, in the same transaction. Throws `name_taken`. */
  add(
    repository: NewBackupRepository,
    seal: (id: number) => string,
    record: (repository: BackupRepository) => ChangeRecord,
  ): Promise<StoredRepository>;
  find(id: number): Promise<StoredRepository | null>;
  findByName(name: string): Promise<StoredRepository | null>;
  /** The repository of a source's snapshots, even if the source was removed. */
  ofSource(sourceId: number): Promise<StoredRepository | null>;
  /** By name; at most 1,000. */
  list(): Promise<readonly StoredRepository[]>;
  /** Remembers the first time only. */
  markInitialised(id: number, at: Instant): Promise<void>;
  /** Changes the given fields; encryption is bound to the id. Throws `repository_not_found`, `name_taken`. */
  change(
    id: number,
    change: RepositoryChange,
    record: (repository: BackupRepository) => ChangeRecord,
  ): Promise<StoredRepository>;
  /**
   * Deletes it and its secrets. Throws `repository_not_found`, and `repository_in_use` while a source or a listed
   * snapshot needs it.
   */
  remove(id: number, at: Instant, record: ChangeRecord): Promise<void>;
}
