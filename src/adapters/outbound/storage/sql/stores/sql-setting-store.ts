import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { SettingStore } from '../../../../../application/ports/service/setting-store.ts';
import { SqlStore } from '../database.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { recordChange } from './record-change.ts';

/** The name that all replicas on this database share, and no other service has; created by a start if missing. */
export const INSTANCE = 'instance';

export class SqlSettingStore extends SqlStore implements SettingStore {
  async get(name: string): Promise<string | null> {
    const row = await this.database
      .knex('settings')
      .where({ name })
      .first<{ value: string } | undefined>('value');
    return row?.value ?? null;
  }

  async set(name: string, value: string, record: ChangeRecord = {}): Promise<void> {
    await this.database.transaction(async (trx) => {
      // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
      await trx('settings').insert({ name, value }).onConflict('name').merge();
      await recordChange(trx, record);
    });
  }

  async setOnce(name: string, value: string): Promise<boolean> {
    try {
      await this.database.write((knex) => knex('settings').insert({ name, value }));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}
