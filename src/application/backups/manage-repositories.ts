import type { Actor } from '../../domain/access/actor.ts';
import {
  type BackupRepository,
  describeRepository,
  type RepositorySecrets,
  repositoryNotFound,
} from '../../domain/backups/backup-repository.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { StoredRepository } from '../ports/backups/repository-store.ts';
import { placeOfSecrets } from './repository-access.ts';

export interface RepositoryEdit {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly password?: string | undefined;
  /** `null`: removes the credentials. */
  readonly login?: { readonly name: string; readonly secret?: string | undefined } | null | undefined;
}

/**
 * Manages backup repositories outside the service. Their secrets are encrypted and leave the service only for hosts.
 */
export class ManageRepositories extends UseCase<'repositories' | 'box' | 'clock'> {
  /** Does not connect: the first backup creates the repository if it is new. Throws `invalid_input`, `name_taken`. */
  async add(
    actor: Actor,
    input: { readonly name: string; readonly url: string; readonly secrets: RepositorySecrets },
  ): Promise<BackupRepository> {
    actor.requireRole('administrator');
    const at = this.deps.clock.now();
    const { name, kind, url } = describeRepository({ ...input, at });
    return this.deps.repositories.add(
      { name, kind, url, createdAt: at },
      (id) => this.deps.box.seal(JSON.stringify(input.secrets), placeOfSecrets(id)),
      ({ id }) => ({
        audit: [auditEntry(actor, at, 'repository.add', `repository:${id}`, { name, kind, url })],
      }),
    );
  }

  /** By name. Throws `scope_missing`. */
  async list(actor: Actor): Promise<readonly BackupRepository[]> {
    actor.require('read');
    actor.requireFeature('backup');
    return (await this.deps.repositories.list()).map(withoutSecrets);
  }

  /** Throws `repository_not_found`. */
  async find(name: string): Promise<BackupRepository> {
    const found = await this.deps.repositories.findByName(name);
    if (!found) throw repositoryNotFound(name);
    return withoutSecrets(found);
  }

  /**
   * Changes the given fields. The secrets stay unless others are given: they are never shown, so no caller can send
   * them back unchanged. Throws `repository_not_found`, `invalid_input`, `name_taken`.
   */
  async edit(actor: Actor, former: string, edit: RepositoryEdit): Promise<BackupRepository> {
    actor.requireRole('administrator');
    const stored = await this.deps.repositories.findByName(former);
    if (!stored) throw repositoryNotFound(former);
    const place = placeOfSecrets(stored.id);
    const secrets = JSON.parse(this.deps.box.open(stored.sealedSecrets, place)) as RepositorySecrets;
    const wanted = {
      name: edit.name ?? stored.name,
      url: edit.url ?? stored.url,
      secrets: {
        password: edit.password ?? secrets.password,
        login: edit.login === undefined ? secrets.login : loginOf(edit.login, secrets.login),
      },
    };
    const at = this.deps.clock.now();
    const { name, kind, url } = describeRepository({ ...wanted, at });
    const sealedSecrets = this.deps.box.seal(JSON.stringify(wanted.secrets), place);
    const changed = await this.deps.repositories.change(
      stored.id,
      { name, kind, url, sealedSecrets },
      ({ id }) => ({
        audit: [auditEntry(actor, at, 'repository.edit', `repository:${id}`, { name, kind, url })],
      }),
    );
    return withoutSecrets(changed);
  }

  /**
   * Removes the repository from Drover; its data is not deleted. Throws `repository_not_found`, `repository_in_use`.
   */
  async remove(actor: Actor, name: string): Promise<void> {
    actor.requireRole('administrator');
    const { id } = await this.find(name);
    const at = this.deps.clock.now();
    await this.deps.repositories.remove(id, at, {
      audit: [auditEntry(actor, at, 'repository.remove', `repository:${id}`, { name })],
    });
  }
}

/** A secret that is left out stays, as long as the name does. */
const loginOf = (
  wanted: { readonly name: string; readonly secret?: string | undefined } | null,
  before: RepositorySecrets['login'],
): RepositorySecrets['login'] =>
  wanted && {
    name: wanted.name,
    secret: wanted.secret ?? (before?.name === wanted.name ? before.secret : ''),
  };

const withoutSecrets = (stored: StoredRepository): BackupRepository => {
  const { id, name, kind, url, initialisedAt, createdAt } = stored;
  return { id, name, kind, url, initialisedAt, createdAt };
};
