import type { Database } from '../../../src/adapters/outbound/storage/sql/database.ts';
import { isCarried } from '../../../src/adapters/outbound/storage/sql/portable/items.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';

import { ODD, type Row } from './odd.ts';
import { messages, people } from './people.ts';
import { backups, server, WELL } from './servers.ts';
import { work } from './work.ts';

/**
 * Rows for all tables, with every column set in one of them, beside the data of a service that has made a backup of
 * its machine (server 1) and a key. Nothing of it is due, so that a started service leaves it unchanged.
 */
export async function fillEveryTable({ knex }: Database): Promise<void> {
  const now = Date.now();
  const at = now - HOUR;
  const key = await knex('ssh_keys').first<{ id: number }>('id');
  const { inventory } = await knex('server_inventories').first<{ inventory: string }>('inventory');
  const { params } = await knex('jobs').first<{ params: string }>('params');
  const source = await knex('backup_sources').first<{ id: number }>('id');
  const add = async (table: string, row: Row): Promise<void> => void (await knex(table).insert(row));
  const all = server(at, now, key.id);
  await add('servers', { ...all, ...WELL });
  await add('servers', { ...all, id: 51, name_key: null, removed_at: at });
  await add('server_inventories', { server_id: 50, at: now, inventory });
  await add('server_samples', {
    server_id: 50,
    step: 'hour',
    step_at: now - (now % HOUR),
    at: now,
    cpu_load: 0.25,
    memory_total_bytes: 2 ** 40,
    memory_used_bytes: 2 ** 33 + 1,
    disks: JSON.stringify([[`/srv/${ODD}`, 1, 2 ** 50 + 1]]),
    os_updates: 4,
    security_updates: 1,
    containers: 3,
    activity: null,
  });
  await add('package_versions', {
    id: 2 ** 40,
    key_hash: 'e'.repeat(64),
    system: 'debian:13',
    name: ODD,
    version: '1:1.0~rc1-1',
    source: 'openssl',
    source_version: '1.0-1',
  });
  await add('server_packages', { server_id: 50, version_id: 2 ** 40 });
  await add('server_package_lists', { server_id: 50, digest: 'd'.repeat(64) });
  await add('vulnerabilities', {
    advisory: 'DSA-5724-1',
    cve: 'CVE-2024-6387',
    system: 'debian:13',
    package: 'openssh',
    introduced: '0',
    fixed: '1:9.2p1-2',
    severity: 'high',
  });
  await add('server_fixes', {
    server_id: 50,
    advisory: 'RHSA-2024:4312',
    cve: 'CVE-2024-6387',
    system: 'rocky:9',
    package: 'openssh',
    version: '8.7p1-38.el9',
    fixed: '8.7p1-38.el9_4.1',
  });
  await add('host_states', { server_id: 50, at, state: ODD });
  await add('watched_services', {
    id: 60,
    server_id: 50,
    directory: ODD,
    service: ODD,
    label: 'shop/web',
    checks: 3,
    restarts: JSON.stringify([at]),
    gave_up_at: at,
  });
  await add('host_changes', {
    server_id: 50,
    kind: 'package',
    name: ODD,
    value_before: '1.0',
    value_after: '1.1',
    since: at,
    at: now,
    snapshot_id: 2 ** 40,
  });
  await add('services', {
    server_id: 50,
    kind: 'compose',
    label: 'shop/web',
    severity: 2,
    message: ODD,
    project: 'shop',
    container: 'shop-web-1',
    search_text: 'shop/web',
    checked_at: now,
  });
  for (const row of people(at, now)) await add(...row);
  for (const row of work(at, now, params)) await add(...row);
  for (const row of backups(at, source.id)) await add(...row);
  for (const row of messages(at, now)) await add(...row);
}

export type Rows = Readonly<Record<string, readonly Row[]>>;

/** All rows of all tables in a backup, in a fixed order, as both kinds of database return them. */
export async function everyRow({ knex, kind }: Database): Promise<Rows> {
  const tables: { name: string }[] =
    kind === 'sqlite'
      ? await knex('sqlite_master')
          .where({ type: 'table' })
          .whereNot('name', 'like', 'sqlite_%')
          .select('name')
      : (
          await knex.raw(
            'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
          )
        )[0];
  const rows: Record<string, readonly Row[]> = {};
  for (const { name } of tables.filter((table) => isCarried(table.name))) {
    const found: Row[] = await knex(name).select('*');
    const plain = found.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
        ]),
      ),
    );
    rows[name] = plain.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  return rows;
}

/** Columns that no row sets. */
export const unsetColumns = (rows: Rows): readonly string[] =>
  Object.entries(rows).flatMap(([table, all]) =>
    all.length === 0
      ? [table]
      : Object.keys(all[0] ?? {})
          .filter((column) => all.every((row) => row[column] === null))
          .map((column) => `${table}.${column}`),
  );
