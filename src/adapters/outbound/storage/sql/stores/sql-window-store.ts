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
import { toSelector } from '../tables/selector-row.ts';
import { recordChange } from './record-change.ts';

interface WindowRow {
  readonly id: number;
  readonly name: string;
  readonly selector: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly duration_ms: number;
  readonly enabled: number;
  readonly created_by: string;
  readonly created_at: number;
}

const COLUMNS = [
  'id',
  'name',
  'selector',
  'cron',
  'time_zone',
  'duration_ms',
  'enabled',
  'created_by',
  'created_at',
] as const satisfies readonly (keyof WindowRow)[];

export class SqlWindowStore implements WindowStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(
    window: NewWindow,
    record: (window: MaintenanceWindow) => ChangeRecord,
  ): Promise<MaintenanceWindow> {
    const { createdBy, createdAt } = window;
    return this.#database.transaction(async (trx) => {
      const [id] = await trx('maintenance_windows')
        .insert({
          ...changeable(window),
          enabled: Number(window.enabled),
          created_by: createdBy,
          created_at: createdAt,
        })
        .catch(nameTaken(window));
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
      await trx('maintenance_windows').where({ id }).update(changeable(window)).catch(nameTaken(window));
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
      .select(COLUMNS)
      .orderBy('name');
    return rows.map(toWindow);
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
  const row = await trx('maintenance_windows').where({ id }).first<WindowRow | undefined>(COLUMNS);
  if (!row) throw windowNotFound(`with id ${id}`);
  const changed = toWindow(row);
  await recordChange(trx, record(changed));
  return changed;
}

const changeable = ({ name, selector, opens, durationMs }: NewWindow) => ({
  name,
  selector: JSON.stringify(selector),
  cron: opens.expression,
  time_zone: opens.timeZone,
  duration_ms: durationMs,
});

const nameTaken =
  ({ name }: NewWindow) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error, 'maintenance_windows', ['name'])) throw error;
    throw new DomainError('name_taken', `There is a maintenance window named "${name}" already.`);
  };

const toWindow = (row: WindowRow): MaintenanceWindow => ({
  id: row.id,
  name: row.name,
  selector: toSelector(row.selector),
  opens: { expression: row.cron, timeZone: row.time_zone },
  durationMs: row.duration_ms,
  enabled: row.enabled === 1,
  createdBy: row.created_by,
  createdAt: row.created_at,
});
