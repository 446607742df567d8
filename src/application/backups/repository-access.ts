import type { RepositorySecrets } from '../../domain/backups/backup-repository.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { UseCase } from '../base/use-case.ts';
import type { OpenRepository } from '../ports/backups/repository-inspector.ts';
import type { StoredRepository } from '../ports/backups/repository-store.ts';
import type { SecretPlace } from '../ports/base/secret-box.ts';

/** Decrypts the repositories' secrets. */
export class RepositoryAccess extends UseCase<'repositories' | 'box' | 'clock'> {
  /** The one that a source's snapshots are in. Throws `repository_not_found`, `secret_unreadable`. */
  async ofSource(sourceId: number): Promise<OpenRepository> {
    const stored = await this.deps.repositories.ofSource(sourceId);
    if (!stored) {
      throw new DomainError('repository_not_found', 'The repository of this backup source was removed.');
    }
    return this.#open(stored);
  }

  /** Throws as `ofSource`. */
  async byId(id: number): Promise<OpenRepository> {
    const stored = await this.deps.repositories.find(id);
    if (!stored)
      throw new DomainError('repository_not_found', `There is no backup repository with id ${id}.`);
    return this.#open(stored);
  }

  #open({ sealedSecrets, ...repository }: StoredRepository): OpenRepository {
    const secrets = JSON.parse(
      this.deps.box.open(sealedSecrets, placeOfSecrets(repository.id)),
    ) as RepositorySecrets;
    const found = async (): Promise<void> => {
      if (repository.initialisedAt === null)
        await this.deps.repositories.markInitialised(repository.id, this.deps.clock.now());
    };
    return { repository, secrets, found };
  }
}

export const placeOfSecrets = (id: number): SecretPlace => ({
  table: 'backup_repositories',
  column: 'secrets',
  row: id,
});
