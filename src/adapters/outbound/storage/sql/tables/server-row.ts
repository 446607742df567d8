import type { Knex } from 'knex';
import { ALERTS_AS_NEEDS, DISK_NEARLY_FULL } from '../../../../../domain/events/notification.ts';
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

const OPEN = "n.state IN ('open', 'acknowledged') AND n.muted = 0";
/** The domain's `isAlertANeed` of open alerts, without the severity. */
const AS_NEED = `${OPEN} AND n.kind IN (${ALERTS_AS_NEEDS.map((kind) => `'${kind}'`).join(', ')})
  AND n.variant <> '${DISK_NEARLY_FULL}'`;

/** By the index of notifications over their servers. */
const ALERTS_OPEN = `(SELECT COUNT(*) FROM notifications AS n WHERE n.server_id = servers.id
  AND ${OPEN}) AS alerts_open`;
/** The graver of the two words comes first in the alphabet. */
const WORST_ALERT = `(SELECT MIN(n.severity) FROM notifications AS n WHERE n.server_id = servers.id
  AND n.severity IN ('critical', 'warning') AND ${AS_NEED}) AS worst_alert`;
/** Of the critical ones; failed jobs come first in the alphabet. */
const CRITICAL_KIND = `(SELECT MIN(n.kind) FROM notifications AS n WHERE n.server_id = servers.id
  AND n.severity = 'critical' AND ${AS_NEED}) AS critical_kind`;

const alertSql = (severity: string): string =>
  `id IN (SELECT n.server_id FROM notifications AS n WHERE n.server_id IS NOT NULL
  AND n.severity = '${severity}' AND ${AS_NEED})`;
const CRITICAL = alertSql('critical');

/** The domain's needs of these names, as conditions over servers: each set of servers is found once. */
export const ALERT_NEEDS = {
  critical_alert: CRITICAL,
  alert: `(${alertSql('warning')} AND NOT ${CRITICAL})`,
} as const;

/** The columns for `toServer`, as SQL. */
export const SERVER_SELECTION = [...SERVERS.names, ALERTS_OPEN, WORST_ALERT, CRITICAL_KIND].join(', ');

/** Selects the columns for `toServer`. */
export const withServerColumns = (servers: Knex.QueryBuilder): Knex.QueryBuilder =>
  servers
    .select(SERVERS.names)
    .select(servers.client.raw(`${ALERTS_OPEN}, ${WORST_ALERT}, ${CRITICAL_KIND}`));

export type ServerRow = Row<typeof SERVERS> & {
  readonly alerts_open: number;
  readonly worst_alert: Server['worstAlert'];
  readonly critical_kind: Server['criticalKind'];
};

export const toServer = (row: ServerRow): Server => ({
  ...SERVERS.read(row),
  alertsOpen: row.alerts_open,
  worstAlert: row.worst_alert,
  criticalKind: row.critical_kind,
});

/** Stands between the texts that a search looks through, so that none is found across two. */
export const SEARCH_SEPARATOR = '\n';

/** An operator's settings of a server, as columns. */
export const serverColumns = (server: NewServer): object => ({
  ...DESCRIPTION.write(server),
  name_key: server.name,
  // Lower case is made here, since SQLite's own knows ASCII only.
  search_text: [server.name, server.address.hostname, ...server.tags].join(SEARCH_SEPARATOR).toLowerCase(),
});
