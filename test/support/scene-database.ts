import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Database,
  openDatabase,
  SQLITE_FILE,
} from '../../src/adapters/outbound/storage/sql/database.ts';
import { openSqlite, type SqliteConnection } from '../../src/adapters/outbound/storage/sql/sqlite/driver.ts';
import { type AuditRow, toEntry } from '../../src/adapters/outbound/storage/sql/tables/audit-row.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
import type { KeptEntry } from '../../src/domain/events/audit-entry.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import { atEnd } from './at-end.ts';
import { sqlStores } from './sql-stores.ts';
import { databaseDirectory, sqliteTemplate } from './sqlite-template.ts';
import type { StoresSubject } from './stores-subject.ts';

const template = await sqliteTemplate();

type Columns = Readonly<Record<string, string | number | null>>;

/** Looks into a database past the stores, without waiting. */
export class Kept {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the test knows the columns that it reads
  rows<R = Record<string, unknown>>(sql: string, ...bindings: unknown[]): readonly R[] {
    return this.#connection.prepare(sql).all(...bindings) as R[];
  }

  count(table: string): number {
    return this.rows<{ n: number }>(`SELECT count(*) n FROM ${table}`)[0]?.n ?? 0;
  }

  add(table: string, columns: Columns): void {
    const names = Object.keys(columns);
    this.#connection
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(columns));
  }

  change(table: string, id: number, columns: Columns): void {
    const set = Object.keys(columns).map((name) => `${name} = ?`);
    this.#connection
      .prepare(`UPDATE ${table} SET ${set.join(', ')} WHERE id = ?`)
      .run(...Object.values(columns), id);
  }

  /** Adds `count` copies of this row. */
  copy(table: string, id: number, count: number): void {
    const [{ id: _, ...row } = {}] = this.rows<Columns>(`SELECT * FROM ${table} WHERE id = ?`, id);
    for (let n = 0; n < count; n += 1) this.add(table, row);
  }

  /** Oldest first, like the other records. */
  get audit(): readonly KeptEntry[] {
    return this.rows<AuditRow>('SELECT * FROM audit_entries ORDER BY id').map(toEntry);
  }

  /** `server.add server:1`, … */
  get actions(): readonly string[] {
    return this.audit.map((entry) => `${entry.action} ${entry.object}`);
  }

  get events(): readonly DomainEvent[] {
    return this.rows<DomainEvent>(
      'SELECT type, severity, title, message, at, server_id serverId, job_id jobId FROM outbox_events ORDER BY id',
    );
  }
}

export interface SceneDatabase extends StoresSubject {
  readonly database: Database;
  readonly kept: Kept;
}

/** All stores on a separate, empty SQLite database, which takes the time from this clock. */
export function sceneDatabase(clock: Pick<Clock, 'now'>): SceneDatabase {
  const dataDir = databaseDirectory();
  const file = join(dataDir, SQLITE_FILE);
  writeFileSync(file, template);
  const opened = openDatabase({ url: null, dataDir });
  const database = Object.assign(opened, {
    nowMs: () => opened.knex.raw('?', [clock.now()]),
    nowPlus: (ms: number) => opened.knex.raw('?', [clock.now() + ms]),
  });
  const connection = openSqlite(file, { timeout: 1_000 });
  atEnd(async () => {
    connection.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { ...sqlStores(database), database, kept: new Kept(connection) };
}
