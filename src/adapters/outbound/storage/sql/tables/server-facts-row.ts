import type { ServerFacts } from '../../../../../domain/fleet/server.ts';
import { hostText } from './host-text.ts';

export const FACT_COLUMNS = {
  osType: 'os_type',
  osId: 'os_id',
  osPretty: 'os_pretty',
  arch: 'arch',
  hardware: 'hardware',
  cpuCores: 'cpu_cores',
  cpuLoad: 'cpu_load',
  memoryTotalBytes: 'memory_total_bytes',
  memoryUsedBytes: 'memory_used_bytes',
  diskTotalBytes: 'disk_total_bytes',
  diskUsedBytes: 'disk_used_bytes',
  containerCount: 'container_count',
  lastSeenAt: 'last_seen_at',
  osUpdatesCount: 'os_updates_count',
  securityUpdatesCount: 'security_updates_count',
  containerUpdatesCount: 'container_updates_count',
  rebootPending: 'reboot_pending',
  lastOsCheckAt: 'last_os_check_at',
  lastContainerCheckAt: 'last_container_check_at',
  inventoryAt: 'inventory_at',
  lastBackupAt: 'last_backup_at',
  lastVerifiedAt: 'last_verified_at',
  contactFailedSince: 'contact_failed_since',
  contactError: 'contact_error',
  onOwnMachine: 'on_own_machine',
} as const satisfies Record<keyof ServerFacts, string>;

type FactColumn = (typeof FACT_COLUMNS)[keyof ServerFacts];
export type FactsRow = Readonly<Record<FactColumn, string | number | null>>;

const FACTS = Object.entries(FACT_COLUMNS) as [keyof ServerFacts, FactColumn][];

export function toFacts(row: FactsRow): ServerFacts {
  const facts: Partial<Record<keyof ServerFacts, unknown>> = {};
  for (const [fact, column] of FACTS) {
    const value = row[column];
    facts[fact] = typeof value === 'string' ? hostText(value) : value;
  }
  for (const [fact, flag] of [
    ['rebootPending', row.reboot_pending],
    ['onOwnMachine', row.on_own_machine],
  ] as const)
    facts[fact] = flag === null ? null : flag === 1;
  return facts as ServerFacts;
}

/** The columns of the facts that are given, for an update; empty where none is. */
export function factsColumns(facts: Partial<ServerFacts>): Partial<FactsRow> {
  return Object.fromEntries(
    FACTS.filter(([fact]) => facts[fact] !== undefined).map(([fact, column]) => {
      const value = facts[fact];
      return [column, typeof value === 'boolean' ? Number(value) : value];
    }),
  );
}
