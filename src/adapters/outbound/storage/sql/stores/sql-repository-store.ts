import type { Knex } from 'knex';
import type {
  RepositoryStore,
  StoredRepository,
} from '../../../../../application/ports/backups/repository-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, oneOf, orNull, type Row, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const MAX_REPOSITORIES = 1_000;

const REPOSITORIES = columns({
  id: int,
  name: text,
  kind: oneOf<StoredRepository['kind']>(),
  url: text,
  sealedSecrets: text,
  initialisedAt: orNull(int),
  createdAt: int,
});
type RepositoryRow = Row<typeof REPOSITORIES>;

export class SqlRepositoryStore extends SqlStore implements RepositoryStore {
  async add(...[repository, seal, record]: Parameters<RepositoryStore['add']>): Promise<StoredRepository> {
    const { name } = repository;
    return this.database.transaction(async (trx) => {
      // The encrypted text is bound to the row's id, which is not known yet.
      const row = REPOSITORIES.write({ ...repository, sealedSecrets: '', initialisedAt: null });
      const [inserted] = await trx('backup_repositories')
        .insert({ ...row, name_key: name })
        .catch((error: unknown) => refuseTaken(error, name));
      const id = Number(inserted);
      const sealed = { sealed_secrets: seal(id) };
      await trx('backup_repositories').where({ id }).update(sealed);
      const added = REPOSITORIES.read({ ...row, ...sealed, id });
      await recordChange(trx, record(added));
      return added;
    });
  }

  find(id: number): Promise<StoredRepository | null> {
    return firstOf(this.#present().where({ id }));
  }

  findByName(name: string): Promise<StoredRepository | null> {
    return firstOf(this.#present().where({ name_key: name }));
  }

  ofSource(sourceId: number): Promise<StoredRepository | null> {
    const { knex } = this.database;
    const wanted = knex('backup_sources').where({ id: sourceId }).select('repository_id');
    return firstOf(this.#present().whereIn('id', wanted));
  }

  async list(): Promise<readonly StoredRepository[]> {
    const rows: RepositoryRow[] = await this.#present()
      .select(REPOSITORIES.names)
      .orderBy('name')
      .limit(MAX_REPOSITORIES);
    return rows.map(REPOSITORIES.read);
  }

  async markInitialised(id: number, at: Instant): Promise<void> {
    await this.database.write(() =>
      this.#present().where({ id }).whereNull('initialised_at').update({ initialised_at: at }),
    );
  }

  async change(...[id, change, record]: Parameters<RepositoryStore['change']>): Promise<StoredRepository> {
    return this.database.transaction(async (trx) => {
      const present = () => trx('backup_repositories').where({ id }).whereNull('removed_at');
      const { name } = change;
      const changes = { ...REPOSITORIES.write(change), ...(name === undefined ? {} : { name_key: name }) };
      if (Object.keys(changes).length > 0) {
        await present()
          .update(changes)
          .catch((error: unknown) => refuseTaken(error, name ?? ''));
      }
      const changed = await firstOf(present());
      if (!changed) throw notFound(id);
      await recordChange(trx, record(changed));
      return changed;
    });
  }

  async remove(id: number, at: Instant, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const there = await trx('backup_repositories')
        .where({ id })
        .whereNull('removed_at')
        .forUpdate()
        .first<{ name: string } | undefined>('name');
      if (!there) throw notFound(id);
      const user = await userOf(trx, id);
      if (user) throw inUse(there.name, user);
      await trx('backup_repositories')
        .where({ id })
        .update({ name_key: null, removed_at: at, sealed_secrets: '' });
      await recordChange(trx, record);
    });
  }

  #present(): Knex.QueryBuilder {
    return this.database.knex('backup_repositories').whereNull('removed_at');
  }
}

async function firstOf(query: Knex.QueryBuilder): Promise<StoredRepository | null> {
  const row = await query.first<RepositoryRow | undefined>(REPOSITORIES.names);
  return row ? REPOSITORIES.read(row) : null;
}

/** A source that backs up to it, or one that was removed and has snapshots in it still. */
async function userOf(trx: Knex, id: number): Promise<string | null> {
  const snapshots = trx('snapshots').whereRaw('snapshots.source_id = backup_sources.id').select('id');
  const source = await trx('backup_sources')
    .where({ repository_id: id })
    .where((used) => void used.whereNull('removed_at').orWhereExists(snapshots))
    .first<{ name: string } | undefined>('name');
  return source?.name ?? null;
}

function refuseTaken(error: unknown, name: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new DomainError('name_taken', `A backup repository named "${name}" already exists.`);
}

const notFound = (id: number): DomainError =>
  new DomainError('repository_not_found', `There is no backup repository with id ${id}.`);

const inUse = (name: string, source: string): DomainError =>
  new DomainError(
    'repository_in_use',
    `The source "${source}" or its snapshots use the repository "${name}" and would become unreadable.`,
  );
