import * as z from 'zod';
import { GetSummary } from '../../../../application/fleet/get-summary.ts';
import { GetHealth } from '../../../../application/service/get-health.ts';
import { CAPABILITIES, SCOPES } from '../../../../domain/access/scope.ts';
import { toIsoOrNull } from '../../../../domain/base/instant.ts';
import { operation, READS } from '../operation.ts';
import { featureSchema } from '../views/token-view.ts';
import { count, text, textOrNull, timeOrNull } from '../views/values.ts';

export const health = operation({
  name: 'health',
  scope: 'read',
  effect: 'reads',
  title: 'Check access',
  description:
    "Checks the connection and returns this token's scopes and missing_scopes, allowed features (null: all) and client IP address. Use it first, or after a call was refused. Next: summary or list_servers.",
  input: z.strictObject({}),
  output: z.strictObject({
    ok: z.literal(true),
    scopes: z.array(z.enum(SCOPES)),
    missing_scopes: z.array(z.enum(CAPABILITIES)).describe('Scopes that the token does not have'),
    allowed_features: z.array(featureSchema).nullable(),
    client_ip: textOrNull,
  }),
  group: 'Access',
  errors: [],
  examples: [
    {
      title: 'Rights of this token',
      input: {},
      output: {
        ok: true,
        scopes: ['read', 'jobs'],
        missing_scopes: ['edit', 'files'],
        allowed_features: null,
        client_ip: '192.0.2.10',
      },
    },
  ],
  routes: [{ method: 'GET', path: '/health', status: 200 }],
  tool: { hints: READS, repeats: 10 },
  run(useCases, actor) {
    const found = useCases.get(GetHealth).execute(actor);
    return {
      ok: true as const,
      scopes: SCOPES.filter((scope) => found.scopes.includes(scope)),
      missing_scopes: CAPABILITIES.filter((scope) => !found.scopes.includes(scope)),
      allowed_features: found.allowedFeatures === null ? null : [...found.allowedFeatures],
      client_ip: found.clientIp,
    };
  },
});

export const summary = operation({
  name: 'summary',
  scope: 'read',
  effect: 'reads',
  title: 'Fleet summary',
  description:
    'Returns the state of the whole fleet in a few numbers: hosts, hosts with updates, hosts that need a reboot, running jobs, the oldest last backup, stale backups, open alerts, and total CPU, memory and disk. Use it for questions about the whole fleet. To find the hosts behind a number call list_servers.',
  input: z.strictObject({}),
  output: z.strictObject({
    ok: z.literal(true),
    version: text,
    hosts: count,
    os_updates: count.describe('Hosts with OS updates'),
    security_updates: count.describe('Hosts with security updates'),
    container_updates: count.describe('Hosts with container updates'),
    reboot_pending: count.describe('Hosts that need a reboot'),
    jobs_running: count.describe('Pending and running jobs'),
    last_backup_oldest_at: timeOrNull,
    backups_stale: count,
    alerts_open: count,
    containers: count,
    cpu_cores: count,
    memory_total_bytes: count,
    memory_used_bytes: count,
    disk_total_bytes: count,
    disk_used_bytes: count,
  }),
  group: 'Fleet',
  errors: [],
  examples: [
    {
      title: 'Fleet summary',
      input: {},
      output: {
        ok: true,
        version: '1.1.0',
        hosts: 2,
        os_updates: 1,
        security_updates: 1,
        container_updates: 0,
        reboot_pending: 0,
        jobs_running: 1,
        last_backup_oldest_at: '2026-11-20T02:00:00.000Z',
        backups_stale: 0,
        alerts_open: 0,
        containers: 2,
        cpu_cores: 8,
        memory_total_bytes: 17_179_869_184,
        memory_used_bytes: 6_442_450_944,
        disk_total_bytes: 171_798_691_840,
        disk_used_bytes: 42_949_672_960,
      },
    },
  ],
  routes: [{ method: 'GET', path: '/summary', status: 200 }],
  tool: {
    hints: READS,
    repeats: 10,
    output: z.looseObject({ hosts: count, reboot_pending: count, backups_stale: count, alerts_open: count }),
    description:
      'Counts for the whole fleet: hosts, hosts with updates or a pending reboot, running jobs, oldest last backup, stale backups, open alerts, total CPU, memory and disk. Use it first for questions about the fleet. Next: list_servers with needs finds the servers behind a number.',
  },
  async run(useCases, actor) {
    const found = await useCases.get(GetSummary).execute(actor);
    return {
      ok: true as const,
      version: useCases.version,
      hosts: found.hosts,
      os_updates: found.osUpdates,
      security_updates: found.securityUpdates,
      container_updates: found.containerUpdates,
      reboot_pending: found.rebootPending,
      jobs_running: found.jobsRunning,
      last_backup_oldest_at: toIsoOrNull(found.lastBackupOldestAt),
      backups_stale: found.backupsStale + found.notBackedUpYet,
      alerts_open: found.alertsOpen,
      containers: found.containers,
      cpu_cores: found.cpuCores,
      memory_total_bytes: found.memoryTotalBytes,
      memory_used_bytes: found.memoryUsedBytes,
      disk_total_bytes: found.diskTotalBytes,
      disk_used_bytes: found.diskUsedBytes,
    };
  },
});
