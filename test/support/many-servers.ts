import type { Core } from '../../src/adapters/bootstrap/core.ts';
import { ManageKeys } from '../../src/application/fleet/manage-keys.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { fakeHostKey } from '../fakes/fake-host-key.ts';

/** Rows a statement. */
const ROWS = 500;

/**
 * Inserts servers with the ids from 1 on into an empty fleet, hundreds per statement: through the use case a large
 * fleet takes as long as the test itself. `columns`: deviations from the defaults.
 */
export async function addManyServers(
  core: Core,
  count: number,
  columns: (id: number) => object = () => ({}),
): Promise<void> {
  const { knex } = core.parts.database;
  const key = await core.get(ManageKeys).create(Actor.operator('test'), 'fleet');
  const now = Date.now();
  for (const ids of chunksUpTo(count)) {
    await knex('servers').insert(ids.map((id) => ({ ...serverRow(id, key.id, now), ...columns(id) })));
  }
}

/** The numbers from 1 to `count`, as many at a time as go into a statement. */
export function chunksUpTo(count: number): readonly (readonly number[])[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return Array.from({ length: Math.ceil(count / ROWS) }, (_, at) => all.slice(at * ROWS, (at + 1) * ROWS));
}

function serverRow(id: number, keyId: number, now: number): object {
  const name = `host-${String(id).padStart(5, '0')}`;
  const { algorithm, blob, fingerprint } = fakeHostKey(name);
  return {
    id,
    name,
    name_key: name,
    connection: 'ssh',
    hostname: `${name}.example.org`,
    ssh_port: 22,
    ssh_username: 'drover',
    ssh_key_id: keyId,
    host_key_algorithm: algorithm,
    host_key_blob: blob,
    host_key_fingerprint: fingerprint,
    become: 'sudo',
    tags: '["web","production"]',
    search_text: `${name}\n${name}.example.org\nweb\nproduction`,
    feature_backup: 1,
    feature_os_patch: 1,
    feature_docker: 0,
    // It is new: without other readers.
    inventory_at: now,
    last_seen_at: now,
    created_at: now,
    updated_at: now,
  };
}
