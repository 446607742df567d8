import type { Knex } from 'knex';
import type { LeaseStore } from '../../../../../application/ports/jobs/lease-store.ts';
import { type Database, SqlStore } from '../database.ts';
import { instant, makeTable } from '../migrations/columns.ts';
import { isUniqueViolation } from '../sql-errors.ts';

/** Made before all migrations, since they take a lease themselves. */
export const makeLeaseTable = (database: Database): Promise<void> =>
  makeTable(database.knex, 'leases', (table) => {
    table.string('name', 255).notNullable().primary();
    table.string('owner', 255).notNullable();
    instant(table, 'until').notNullable();
  });

export class SqlLeaseStore extends SqlStore implements LeaseStore {
  async hold(name: string, owner: string, ms: number): Promise<boolean> {
    return this.database.write((knex) => this.#hold(knex, { name, owner, until: this.database.nowPlus(ms) }));
  }

  async release(name: string, owner: string): Promise<void> {
    await this.database.write((knex) => knex('leases').where({ name, owner }).delete());
  }

  async releaseAll(owner: string): Promise<void> {
    await this.database.write((knex) => knex('leases').where({ owner }).delete());
  }

  async #hold(knex: Knex, lease: { name: string; owner: string; until: Knex.Raw }): Promise<boolean> {
    const { name, owner, until } = lease;
    const renewed = await knex('leases')
      .where({ name })
      .where((free) => void free.where({ owner }).orWhere('until', '<=', this.database.nowMs()))
      .update({ owner, until });
    if (renewed > 0) return true;
    try {
      await knex('leases').insert(lease);
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}
