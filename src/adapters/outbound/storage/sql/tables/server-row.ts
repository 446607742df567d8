import type { Knex } from 'knex';
import type { NewServer, PinnedHostKey, Server, ServerAddress } from '../../../../../domain/fleet/server.ts';
import { fromJson, Strings } from './json.ts';
import { FACT_COLUMNS, type FactsRow, toFacts } from './server-facts-row.ts';

const OWN_COLUMNS = [
  'id',
  'name',
  'connection',
  'hostname',
  'ssh_port',
  'ssh_username',
  'ssh_key_id',
  'host_key_algorithm',
  'host_key_blob',
  'host_key_fingerprint',
  'become',
  'jump_server_id',
  'tags',
  'feature_backup',
  'feature_os_patch',
  'feature_docker',
  'jail',
  'jail_deny',
  'compose_dirs',
  'created_at',
  'updated_at',
] as const;

const COLUMNS: readonly string[] = [...OWN_COLUMNS, ...Object.values(FACT_COLUMNS)];

/** By the index of notifications over their servers. */
const ALERTS_OPEN = `(SELECT COUNT(*) FROM notifications AS n WHERE n.server_id = servers.id
  AND n.state IN ('open', 'acknowledged') AND n.muted = 0) AS alerts_open`;

/** What `toServer` reads, as SQL. */
export const SERVER_SELECTION = [...COLUMNS, ALERTS_OPEN].join(', ');

/** Selects what `toServer` reads. */
export const withServerColumns = (servers: Knex.QueryBuilder): Knex.QueryBuilder =>
  servers.select(COLUMNS).select(servers.client.raw(ALERTS_OPEN));

export interface ServerRow extends FactsRow {
  readonly id: number;
  readonly name: string;
  readonly connection: ServerAddress['connection'];
  readonly hostname: string;
  readonly ssh_port: number;
  readonly ssh_username: string;
  readonly ssh_key_id: number | null;
  readonly host_key_algorithm: string | null;
  readonly host_key_blob: string | null;
  readonly host_key_fingerprint: string | null;
  readonly become: ServerAddress['become'];
  readonly jump_server_id: number | null;
  readonly tags: string;
  readonly feature_backup: number;
  readonly feature_os_patch: number;
  readonly feature_docker: number;
  readonly jail: string | null;
  readonly jail_deny: string | null;
  readonly compose_dirs: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly alerts_open: number;
}

export const toServer = (row: ServerRow): Server => ({
  id: row.id,
  name: row.name,
  address: {
    connection: row.connection,
    hostname: row.hostname,
    sshPort: row.ssh_port,
    sshUsername: row.ssh_username,
    sshKeyId: row.ssh_key_id,
    hostKey: toHostKey(row),
    become: row.become,
    jumpServerId: row.jump_server_id,
  },
  tags: fromJson(Strings, row.tags),
  features: {
    backup: row.feature_backup === 1,
    os_patch: row.feature_os_patch === 1,
    docker: row.feature_docker === 1,
  },
  jail: row.jail,
  jailDeny: row.jail_deny === null ? [] : fromJson(Strings, row.jail_deny),
  composeDirs: row.compose_dirs === null ? [] : fromJson(Strings, row.compose_dirs),
  facts: toFacts(row),
  alertsOpen: row.alerts_open,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

function toHostKey(row: ServerRow): PinnedHostKey | null {
  const { host_key_algorithm: algorithm, host_key_blob: blob, host_key_fingerprint: fingerprint } = row;
  return algorithm === null || blob === null || fingerprint === null
    ? null
    : { algorithm, blob, fingerprint };
}

/** Stands between the texts that a search looks through, so that none is found across two. */
export const SEARCH_SEPARATOR = '\n';

/** All that an operator says about a server, as columns. */
export const serverColumns = ({
  name,
  address,
  tags,
  features,
  jail,
  jailDeny,
  composeDirs,
}: NewServer): object => ({
  name,
  name_key: name,
  connection: address.connection,
  hostname: address.hostname,
  ssh_port: address.sshPort,
  ssh_username: address.sshUsername,
  ssh_key_id: address.sshKeyId,
  host_key_algorithm: address.hostKey?.algorithm ?? null,
  host_key_blob: address.hostKey?.blob ?? null,
  host_key_fingerprint: address.hostKey?.fingerprint ?? null,
  become: address.become,
  jump_server_id: address.jumpServerId,
  tags: JSON.stringify(tags),
  // Lower case is made here, since SQLite's own knows ASCII only.
  search_text: [name, address.hostname, ...tags].join(SEARCH_SEPARATOR).toLowerCase(),
  feature_backup: Number(features.backup),
  feature_os_patch: Number(features.os_patch),
  feature_docker: Number(features.docker),
  jail,
  jail_deny: jailDeny.length === 0 ? null : JSON.stringify(jailDeny),
  compose_dirs: composeDirs.length === 0 ? null : JSON.stringify(composeDirs),
});
