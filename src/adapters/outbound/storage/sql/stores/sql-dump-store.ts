import { z } from 'zod';
import type { DumpStore, StoredDump } from '../../../../../application/ports/backups/dump-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  DUMP_CLIENTS,
  type DumpKind,
  dumpNotFound,
  dumpTaken,
  MAX_DUMPS,
  type NewDump,
  tooManyDumps,
} from '../../../../../domain/backups/dump.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, int, json, oneOf, orNull, type Row, text } from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const Connection = z.object({
  client: z.enum(DUMP_CLIENTS),
  container: z.string().nullable(),
  database: z.string().nullable(),
  user: z.string().nullable(),
  host: z.string().nullable(),
  port: z.number().nullable(),
});

const DUMPS = columns({
  id: int,
  sourceId: int,
  name: text,
  kind: oneOf<DumpKind>(),
  connection: json(Connection),
  sealedPassword: orNull(text),
  createdAt: int,
});

type DumpRow = Row<typeof DUMPS>;

function toDump(row: DumpRow): StoredDump {
  const { connection, ...dump } = DUMPS.read(row);
  return { ...dump, ...connection, hasPassword: dump.sealedPassword !== null };
}

/** How a dump's client connects, as it is kept. */
const connectionOf = ({ client, container, database, user, host, port }: NewDump) => ({
  client,
  container,
  database,
  user,
  host,
  port,
});

export class SqlDumpStore extends SqlStore implements DumpStore {
  async add(...[dump, seal, record]: Parameters<DumpStore['add']>): Promise<StoredDump> {
    const { sourceId, name, kind, createdAt } = dump;
    return this.database.transaction(async (trx) => {
      // Locked against concurrent additions, and against the removal of the source.
      const source = await trx('backup_sources')
        .where({ id: sourceId })
        .whereNull('removed_at')
        .forUpdate()
        .first('id');
      if (!source)
        throw new DomainError('source_not_found', `There is no backup source with id ${sourceId}.`);
      const [counted] = await trx('backup_dumps').where({ source_id: sourceId }).count({ dumps: '*' });
      if (Number(counted?.['dumps']) >= MAX_DUMPS) throw tooManyDumps();
      const connection = connectionOf(dump);
      const row = DUMPS.write({ sourceId, name, kind, connection, sealedPassword: null, createdAt });
      const [inserted] = await trx('backup_dumps')
        .insert(row)
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? dumpTaken(name) : error;
        });
      const id = Number(inserted);
      const sealed_password = seal?.(id) ?? null;
      if (sealed_password !== null) await trx('backup_dumps').where({ id }).update({ sealed_password });
      const { sealedPassword, ...added } = toDump({ ...row, id, sealed_password });
      await recordChange(trx, record(added));
      return { ...added, sealedPassword };
    });
  }

  async change(...[sourceId, name, change, record]: Parameters<DumpStore['change']>): Promise<StoredDump> {
    return this.database.transaction(async (trx) => {
      const own = trx('backup_dumps').where({ source_id: sourceId, name });
      const row = await own.clone().forUpdate().first<DumpRow | undefined>(DUMPS.names);
      if (!row) throw dumpNotFound(name);
      const after = change(toDump(row));
      const { sealedPassword } = after;
      const changed = DUMPS.write({ connection: connectionOf(after), sealedPassword });
      await own.clone().update(changed);
      await recordChange(trx, record);
      return toDump({ ...row, ...changed });
    });
  }

  async ofSource(sourceId: number): Promise<readonly StoredDump[]> {
    const rows: DumpRow[] = await this.database
      .knex('backup_dumps')
      .where({ source_id: sourceId })
      .select(DUMPS.names)
      .orderBy('name');
    return rows.map(toDump);
  }

  async ofServer(serverId: number): Promise<readonly StoredDump[]> {
    const { knex } = this.database;
    const sources = knex('backup_sources')
      .where({ server_id: serverId })
      .whereNull('removed_at')
      .select('id');
    const rows: DumpRow[] = await knex('backup_dumps')
      .whereIn('source_id', sources)
      .select(DUMPS.names)
      .orderBy('name');
    return rows.map(toDump);
  }

  async remove(sourceId: number, name: string, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const removed = await trx('backup_dumps').where({ source_id: sourceId, name }).delete();
      if (removed === 0) throw dumpNotFound(name);
      await recordChange(trx, record);
    });
  }
}
