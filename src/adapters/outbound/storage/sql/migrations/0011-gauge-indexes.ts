import type { Knex } from 'knex';
import { limitStatements, STATEMENT_MS } from '../mysql/session.ts';
import { makeGaugeIndex } from './gauge-index.ts';

/**
 * What the gauges count, each by an index that leads to the exceptions alone and has all that the count asks for: on a
 * fleet that is well a scrape reads little, however large the fleet and however long its history.
 */
const INDEXES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  servers: [
    ['reboot_pending', 'removed_at'],
    ['security_updates_count', 'removed_at', 'reboot_pending'],
    ['os_updates_count', 'removed_at'],
    ['container_updates_count', 'removed_at'],
    ['feature_backup', 'last_backup_at', 'removed_at', 'reboot_pending', 'security_updates_count'],
    ['feature_backup', 'last_verified_at', 'removed_at'],
    [
      'last_seen_at',
      'removed_at',
      'reboot_pending',
      'security_updates_count',
      'feature_backup',
      'last_backup_at',
    ],
    ['feature_os_patch', 'last_os_check_at', 'removed_at'],
    ['feature_docker', 'last_container_check_at', 'removed_at'],
  ],
  jobs: [['status', 'finished_at']],
};

export async function up(knex: Knex): Promise<void> {
  // Not for its rollback, which MySQL has none of here, but for one connection: its limits are lifted.
  await knex.transaction(async (trx) => {
    const mysql = knex.client.dialect === 'mysql';
    if (mysql) await limitStatements((sql) => trx.raw(sql), 0);
    for (const [table, indexes] of Object.entries(INDEXES)) {
      for (const columns of indexes) await makeGaugeIndex(trx, table, columns);
    }
    if (mysql) await limitStatements((sql) => trx.raw(sql), STATEMENT_MS);
  });
}
