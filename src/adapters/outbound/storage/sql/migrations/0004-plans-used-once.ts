import type { Knex } from 'knex';

/** The dry run whose plan a job does: a second job by the same plan is refused by the index. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasColumn('jobs', 'plan_key'))) {
    await knex.schema.alterTable('jobs', (table) => {
      table.bigInteger('plan_key').unsigned();
    });
  }
  await knex.schema
    .alterTable('jobs', (table) => {
      table.unique(['plan_key']);
    })
    .catch((error: { errno?: number; message: string }) => {
      // ER_DUP_KEYNAME; SQLite says it in words. It died half-way before.
      if (error.errno !== 1061 && !error.message.includes('already exists')) throw error;
    });
}
