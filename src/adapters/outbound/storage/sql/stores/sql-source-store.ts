import type { Knex } from 'knex';
import { z } from 'zod';
import type { SourceStore } from '../../../../../application/ports/backups/source-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import type {
  BackupSource,
  NewBackupSource,
  SourceSettings,
} from '../../../../../domain/backups/backup-source.ts';
import { type BackupHook, HOOK_KINDS } from '../../../../../domain/backups/hook.ts';
import type { RetentionPolicy } from '../../../../../domain/backups/retention-policy.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, json, listOrNull, oneOf, orNull, type Row, Strings, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const Retention: z.ZodType<RetentionPolicy> = z.object({
  keepLast: z.number(),
  keepDaily: z.number(),
  keepWeekly: z.number(),
  keepMonthly: z.number(),
  keepYearly: z.number(),
});

const Hooks: z.ZodType<readonly BackupHook[]> = z.array(
  z.object({ kind: z.enum(HOOK_KINDS), name: z.string() }),
);

/** Editable fields of a source. */
const SOURCE_SETTINGS = columns({
  paths: json(Strings),
  excludes: json(Strings),
  retention: json(Retention),
  compareContentEvery: int,
  hooks: listOrNull(Hooks),
});
const SOURCES = columns({
  id: int,
  serverId: int,
  name: text,
  kind: oneOf<BackupSource['kind']>(),
  engine: oneOf<BackupSource['engine']>(),
  repositoryId: orNull(int),
  lastSuccessAt: orNull(int),
  createdAt: int,
  ...SOURCE_SETTINGS.shape,
});

type SourceRow = Row<typeof SOURCES>;
const toSource: (row: SourceRow) => BackupSource = SOURCES.read;

export class SqlSourceStore extends SqlStore implements SourceStore {
  async add(source: NewBackupSource, record: (source: BackupSource) => ChangeRecord): Promise<BackupSource> {
    return this.database.transaction(async (trx) => {
      const server = await trx('servers')
        .where({ id: source.serverId })
        .whereNull('removed_at')
        .forUpdate()
        .first('id');
      if (!server) throw serverNotFound(source.serverId);
      await requireRepository(trx, source.repositoryId);
      const row = SOURCES.write({ ...source, lastSuccessAt: null });
      const [id] = await trx('backup_sources')
        .insert({ ...row, name_key: source.name })
        .catch((error: unknown) => {
          if (!isUniqueViolation(error)) throw error;
          throw new DomainError(
            'name_taken',
            `The server already has a backup source named "${source.name}".`,
          );
        });
      const added = toSource({ ...row, id: Number(id) });
      await recordChange(trx, record(added));
      return added;
    });
  }

  async change(id: number, settings: SourceSettings, record: ChangeRecord): Promise<BackupSource> {
    return this.database.transaction(async (trx) => {
      const source = trx('backup_sources').where({ id }).whereNull('removed_at');
      await source.clone().update(SOURCE_SETTINGS.write(settings));
      const row = await source.first<SourceRow | undefined>(SOURCES.names);
      if (!row) throw new DomainError('source_not_found', `There is no backup source with id ${id}.`);
      await recordChange(trx, record);
      return toSource(row);
    });
  }

  async ofServer(serverId: number): Promise<readonly BackupSource[]> {
    const rows: SourceRow[] = await this.database
      .knex('backup_sources')
      .where({ server_id: serverId })
      .whereNull('removed_at')
      .select(SOURCES.names)
      .orderBy('name');
    return rows.map(toSource);
  }

  async names(serverIds: readonly number[] | null, limit: number): Promise<readonly string[]> {
    const { knex } = this.database;
    const servers = knex('servers').whereNull('removed_at').select('id');
    return knex('backup_sources')
      .whereNull('removed_at')
      .whereIn('server_id', serverIds === null ? servers : servers.whereIn('id', serverIds))
      .groupBy('name')
      .orderByRaw('count(*) desc, name')
      .limit(limit)
      .pluck('name');
  }

  async find(id: number): Promise<BackupSource | null> {
    const row = await this.database
      .knex('backup_sources')
      .where({ id })
      .whereNull('removed_at')
      .first<SourceRow | undefined>(SOURCES.names);
    return row ? toSource(row) : null;
  }

  async identities(): Promise<readonly Pick<BackupSource, 'id' | 'serverId' | 'repositoryId'>[]> {
    return this.database
      .knex('backup_sources')
      .whereNull('removed_at')
      .orderBy('id')
      .select<Pick<BackupSource, 'id' | 'serverId' | 'repositoryId'>[]>({
        id: 'id',
        serverId: 'server_id',
        repositoryId: 'repository_id',
      });
  }

  async history(after: number, limit: number): Promise<readonly BackupSource[]> {
    const rows: SourceRow[] = await this.database
      .knex('backup_sources')
      .where('id', '>', after)
      .select(SOURCES.names)
      .orderBy('id')
      .limit(limit);
    return rows.map(toSource);
  }

  async remove(id: number, at: Instant, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const removed = await trx('backup_sources')
        .where({ id })
        .whereNull('removed_at')
        .update({ name_key: null, removed_at: at });
      if (removed === 0)
        throw new DomainError('source_not_found', `There is no backup source with id ${id}.`);
      await trx('backup_dumps').where({ source_id: id }).delete();
      await recordChange(trx, record);
    });
  }
}

/** Its row is locked, so that the repository is not removed while a source is added to it. */
async function requireRepository(trx: Knex, id: number | null): Promise<void> {
  if (id === null) return;
  const found = await trx('backup_repositories')
    .where({ id })
    .whereNull('removed_at')
    .forUpdate()
    .first('id');
  if (!found) throw new DomainError('repository_not_found', `There is no backup repository with id ${id}.`);
}
