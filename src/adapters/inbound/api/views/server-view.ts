import * as z from 'zod';
import { toIsoOrNull } from '../../../../domain/base/instant.ts';
import { CONNECTIONS, type Server } from '../../../../domain/fleet/server.ts';
import type { ServerNeed } from '../../../../domain/fleet/server-list.ts';
import { needSchema, needsView } from './need-view.ts';
import { count, countOrNull, id, text, textOrNull, timeOrNull } from './values.ts';

export const featuresSchema = z.strictObject({
  backup: z.boolean(),
  os_patch: z.boolean(),
  docker: z.boolean(),
});

/** A server as scripts and agents see it. Counts of updates are null until they were checked for. */
export const serverSchema = z.strictObject({
  id,
  name: text,
  hostname: text,
  ssh_port: z.int(),
  ssh_username: text,
  connection: z.enum(CONNECTIONS),
  tags: z.array(text),
  os_type: textOrNull,
  os_id: textOrNull,
  os_version: textOrNull.describe('VERSION_ID of os-release'),
  os_pretty: textOrNull,
  support_ends_at: timeOrNull.describe(
    'Last moment of security updates for this release of the operating system; null: not known, or a rolling release',
  ),
  arch: textOrNull,
  hardware: textOrNull,
  cpu_cores: countOrNull,
  cpu_load: z.number().nullable().describe('One-minute load average'),
  memory_total_bytes: countOrNull,
  memory_used_bytes: countOrNull,
  disk_total_bytes: countOrNull,
  disk_used_bytes: countOrNull,
  container_count: countOrNull,
  last_seen: timeOrNull,
  features: featuresSchema,
  last_backup_at: timeOrNull,
  last_verified_at: timeOrNull.describe('When the least recently verified backup source was last verified'),
  os_updates_count: countOrNull.describe('null: unknown'),
  security_updates_count: countOrNull.describe('null: unknown'),
  container_updates_count: countOrNull,
  reboot_pending: z.boolean().nullable(),
  last_os_check_at: timeOrNull,
  last_container_check_at: timeOrNull,
  inventory_at: timeOrNull,
  alerts_open: count,
});

export function serverView(server: Server): z.output<typeof serverSchema> {
  const { address, facts } = server;
  return {
    id: server.id,
    name: server.name,
    hostname: address.hostname,
    ssh_port: address.sshPort,
    ssh_username: address.sshUsername,
    connection: address.connection,
    tags: [...server.tags],
    os_type: facts.osType,
    os_id: facts.osId,
    os_version: facts.osVersion,
    os_pretty: facts.osPretty,
    support_ends_at: toIsoOrNull(facts.supportEndsAt),
    arch: facts.arch,
    hardware: facts.hardware,
    cpu_cores: facts.cpuCores,
    cpu_load: facts.cpuLoad,
    memory_total_bytes: facts.memoryTotalBytes,
    memory_used_bytes: facts.memoryUsedBytes,
    disk_total_bytes: facts.diskTotalBytes,
    disk_used_bytes: facts.diskUsedBytes,
    container_count: facts.containerCount,
    last_seen: toIsoOrNull(facts.lastSeenAt),
    features: { ...server.features },
    last_backup_at: toIsoOrNull(facts.lastBackupAt),
    last_verified_at: toIsoOrNull(facts.lastVerifiedAt),
    os_updates_count: facts.osUpdatesCount,
    security_updates_count: facts.securityUpdatesCount,
    container_updates_count: facts.containerUpdatesCount,
    reboot_pending: facts.rebootPending,
    last_os_check_at: toIsoOrNull(facts.lastOsCheckAt),
    last_container_check_at: toIsoOrNull(facts.lastContainerCheckAt),
    inventory_at: toIsoOrNull(facts.inventoryAt),
    alerts_open: server.alertsOpen,
  };
}

/** A server and what it needs: as lists and details show it. */
export const needySchema = z.strictObject({
  ...serverSchema.shape,
  needs: z.array(needSchema).describe('What the server needs'),
});

export const needyView = (server: Server, needs: readonly ServerNeed[]): z.output<typeof needySchema> => ({
  ...serverView(server),
  needs: needsView(needs),
});
