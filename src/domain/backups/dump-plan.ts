import { DUMP_KINDS, DUMP_RULES, type DumpConnection } from './dump.ts';

/** What the dry run of a dump's restore shows, and a restore by that plan keeps to. */
export interface PlannedDump {
  readonly dump: string;
  readonly kind: DumpConnection['kind'];
  readonly client: DumpConnection['client'];
  readonly container: string | null;
  readonly database: string | null;
  readonly user: string | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly has_password: boolean;
}

export const plannedDump = ({ name, password, ...to }: DumpConnection): PlannedDump => ({
  dump: name,
  kind: to.kind,
  client: to.client,
  container: to.container,
  database: to.database,
  user: to.user,
  host: to.host,
  port: to.port,
  has_password: password !== null,
});

export const plannedDumpLine = (planned: PlannedDump): string =>
  JSON.stringify([
    planned.dump,
    planned.kind,
    planned.client,
    planned.container,
    planned.database,
    planned.user,
    planned.host,
    planned.port,
    planned.has_password,
  ]);

export function describePlannedDump(planned: PlannedDump): string {
  const { dump, kind, client, container, database, user, host, port } = planned;
  const parts = [
    `${dump} into ${database === null ? 'all databases' : `"${database}"`} of ${DUMP_RULES[kind].label}`,
    container === null ? null : `by ${client} ${container}`,
    host === null && port === null
      ? null
      : `at ${host ?? 'the local server'}${port === null ? '' : `:${port}`}`,
    user === null ? null : `as ${user}`,
    planned.has_password ? 'with a password' : 'without a password',
  ];
  return parts.filter((part) => part !== null).join(' ');
}

/** Whether a value from a stored result is one. */
export function isPlannedDump(value: unknown): value is PlannedDump {
  if (typeof value !== 'object' || value === null || !('has_password' in value) || !('dump' in value))
    return false;
  return typeof value.dump === 'string' && 'kind' in value && DUMP_KINDS.some((kind) => kind === value.kind);
}
