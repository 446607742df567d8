import type { Knex } from 'knex';
import type { NewServer, Server, ServerAddress } from '../../../../../domain/fleet/server.ts';
import {
  columns,
  flag,
  int,
  json,
  listOrNull,
  named,
  nullable,
  oneOf,
  orElse,
  orNull,
  type Row,
  Strings,
  text,
} from './columns.ts';
import { FACTS } from './server-facts-row.ts';

/** An operator's settings of a server. */
const DESCRIPTION = columns({
  name: text,
  address: {
    connection: oneOf<ServerAddress['connection']>(),
    hostname: text,
    sshPort: int,
    sshUsername: text,
    sshKeyId: orNull(int),
    hostKey: nullable({
      algorithm: named('host_key_algorithm', text),
      blob: named('host_key_blob', text),
      fingerprint: named('host_key_fingerprint', text),
    }),
    become: oneOf<ServerAddress['become']>(),
    jumpServerId: orNull(int),
  },
  tags: json(Strings),
  features: {
    backup: named('feature_backup', flag),
    os_patch: named('feature_os_patch', flag),
    docker: named('feature_docker', flag),
  },
  jail: orNull(text),
  jailDeny: listOrNull(Strings),
  composeDirs: listOrNull(Strings),
  updateChecks: listOrNull(Strings),
  notes: orElse(text, ''),
});
const SERVERS = columns({
  id: int,
  ...DESCRIPTION.shape,
  createdAt: int,
  updatedAt: int,
  facts: FACTS.shape,
});

/** By the index of notifications over their servers. */
const ALERTS_OPEN = `(SELECT COUNT(*) FROM notifications AS n WHERE n.server_id = servers.id
  AND n.state IN ('open', 'acknowledged') AND n.muted = 0) AS alerts_open`;

/** The columns for `toServer`, as SQL. */
export const SERVER_SELECTION = [...SERVERS.names, ALERTS_OPEN].join(', ');

/** Selects the columns for `toServer`. */
export const withServerColumns = (servers: Knex.QueryBuilder): Knex.QueryBuilder =>
  servers.select(SERVERS.names).select(servers.client.raw(ALERTS_OPEN));

export type ServerRow = Row<typeof SERVERS> & { readonly alerts_open: number };

export const toServer = (row: ServerRow): Server => ({ ...SERVERS.read(row), alertsOpen: row.alerts_open });

/** Stands between the texts that a search looks through, so that none is found across two. */
export const SEARCH_SEPARATOR = '\n';

/** An operator's settings of a server, as columns. */
export const serverColumns = (server: NewServer): object => ({
  ...DESCRIPTION.write(server),
  name_key: server.name,
  // Lower case is made here, since SQLite's own knows ASCII only.
  search_text: [server.name, server.address.hostname, ...server.tags].join(SEARCH_SEPARATOR).toLowerCase(),
});
