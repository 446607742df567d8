import type { Knex } from 'knex';
import type { WindowStore } from '../../../../../application/ports/automation/window-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  type MaintenanceWindow,
  type NewWindow,
  windowNotFound,
} from '../../../../../domain/automation/maintenance-window.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { columns, flag, int, named, type Row, text } from '../tables/columns.ts';
import { selector } from '../tables/selector-row.ts';
import { recordChange } from './record-change.ts';

const CHANGEABLE = columns({
  name: text,
  selector,
  opens: { expression: named('cron', text), timeZone: text },
  durationMs: int,
});
const WINDOWS = columns({ id: int, ...CHANGEABLE.shape, enabled: flag, createdBy: text, createdAt: int });
type WindowRow = Row<typeof WINDOWS>;

export class SqlWindowStore implements WindowStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(
    window: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    return this.#database.transaction(async (trx) => {
      const [id] = await trx('maintenance_windows').insert(WINDOWS.write(window)).catch(nameTaken(window));
      const added = { ...window, id: Number(id) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async change(
    id: number,
    window: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    return this.#database.transaction(async (trx) => {
      await trx('maintenance_windows')
        .where({ id })
        .update(CHANGEABLE.write(window))
        .catch(nameTaken(window));
      return traced(trx, id, record);
    });
  }

  async enable(
    id: number,
    enabled: boolean,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    return this.#database.transaction(async (trx) => {
      await trx('maintenance_windows')
        .where({ id })
        .update({ enabled: Number(enabled) });
      return traced(trx, id, record);
    });
  }

  async list(): Promise<readonly MaintenanceWindow[]> {
    const rows: WindowRow[] = await this.#database
      .knex('maintenance_windows')
      .select(WINDOWS.names)
      .orderBy('name');
    return rows.map(WINDOWS.read);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      if ((await trx('maintenance_windows').where({ id }).delete()) === 0)
        throw windowNotFound(`with id ${id}`);
      await recordChange(trx, record);
    });
  }
}

/** As it is after a change; throws `window_not_found`. */
async function traced(
  trx: Knex.Transaction,
  id: number,
  record: (window: MaintenanceWindow) => ChangeRecord,
): Promise<MaintenanceWindow> {
  const row = await trx('maintenance_windows').where({ id }).first<WindowRow | undefined>(WINDOWS.names);
  if (!row) throw windowNotFound(`with id ${id}`);
  const changed = WINDOWS.read(row);
  await recordChange(trx, record(changed));
  return changed;
}

const nameTaken =
  ({ name }: NewWindow) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error, 'maintenance_windows', ['name'])) throw error;
    throw new DomainError('name_taken', `A maintenance window named "${name}" already exists.`);
  };
