import type { WindowStore } from '../../../../../application/ports/automation/window-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  type MaintenanceWindow,
  windowNotFound,
} from '../../../../../domain/automation/maintenance-window.ts';
import { SqlStore } from '../database.ts';
import { columns, flag, int, named, type Row, text } from '../tables/columns.ts';
import { selector } from '../tables/selector-row.ts';
import { NamedRows } from './named-rows.ts';
import { recordChange } from './record-change.ts';

const TABLE = 'maintenance_windows';
const CHANGEABLE = columns({
  name: text,
  selector,
  opens: { expression: named('cron', text), timeZone: text },
  durationMs: int,
});
const WINDOWS = columns({ id: int, ...CHANGEABLE.shape, enabled: flag, createdBy: text, createdAt: int });
const ROWS = new NamedRows<Row<typeof WINDOWS>, MaintenanceWindow>({
  table: TABLE,
  columns: WINDOWS.names,
  read: WINDOWS.read,
  notFound: windowNotFound,
  taken: (name) => `A maintenance window named "${name}" already exists.`,
});

export class SqlWindowStore extends SqlStore implements WindowStore {
  async add(...[window, record]: Parameters<WindowStore['add']>): Promise<MaintenanceWindow> {
    return this.database.transaction(async (trx) => {
      const added = { ...window, id: await ROWS.insert(trx, window.name, WINDOWS.write(window)) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async change(...[id, window, record]: Parameters<WindowStore['change']>): Promise<MaintenanceWindow> {
    return this.database.transaction(async (trx) => {
      await ROWS.refusing(trx(TABLE).where({ id }).update(CHANGEABLE.write(window)), window.name);
      return ROWS.left(trx, id, record);
    });
  }

  async enable(...[id, enabled, record]: Parameters<WindowStore['enable']>): Promise<MaintenanceWindow> {
    return this.database.transaction(async (trx) => {
      await trx(TABLE)
        .where({ id })
        .update({ enabled: Number(enabled) });
      return ROWS.left(trx, id, record);
    });
  }

  async list(): Promise<readonly MaintenanceWindow[]> {
    return ROWS.list(this.database.knex);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction((trx) => ROWS.remove(trx, id, record));
  }
}
