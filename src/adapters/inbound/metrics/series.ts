import { SECOND } from '../../../domain/base/instant.ts';
import { NOTIFICATION_KINDS } from '../../../domain/events/notification.ts';
import { CHECK_KINDS, type Gauges, type ServerGauges, UPDATE_KINDS } from '../../../domain/fleet/gauges.ts';
import { SUPPORT_STATES } from '../../../domain/fleet/os-support.ts';
import { JOB_STATUSES } from '../../../domain/jobs/job.ts';
import { JOB_TYPES } from '../../../domain/jobs/job-types.ts';

/** A gauge of `/metrics`: all that the page, its documentation and the kit's tests know of it. */
export interface Series {
  readonly name: string;
  /** One sentence for the metrics page. */
  readonly help: string;
  /** Every value is written, even 0. */
  readonly label?: { readonly name: string; readonly values: readonly string[] };
  /** `value`: of the label; empty for a series without one. */
  readonly read: (gauges: Gauges, value: string) => number;
}

/** A gauge of each server. */
export interface ServerSeries {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (server: ServerGauges) => readonly (readonly [Readonly<Record<string, string>>, number])[];
}

/** A number by the value of a label, whose values are the record's keys. */
const by = <K extends string>(
  name: string,
  values: readonly K[],
  counts: (gauges: Gauges) => Readonly<Record<K, number>>,
): Pick<Series, 'label' | 'read'> => ({
  label: { name, values },
  read: (gauges, value) => counts(gauges)[value as K],
});

const seconds = (at: number | null): number => (at === null ? 0 : at / SECOND);

/** Metrics that exist only while the database answers, in the order of output. */
export const SERIES: readonly Series[] = [
  { name: 'service_servers', help: 'Servers of the fleet.', read: ({ servers }) => servers.total },
  {
    name: 'service_servers_attention',
    help: 'Servers that need attention: stale backup, pending reboot or security updates, or unreachable.',
    read: ({ servers }) => servers.attention,
  },
  {
    name: 'service_servers_unreachable',
    help: 'Servers that the last try to get onto failed.',
    read: ({ servers }) => servers.unreachable,
  },
  {
    name: 'service_servers_reboot_pending',
    help: 'Servers that ask for a reboot.',
    read: ({ servers }) => servers.rebootPending,
  },
  {
    name: 'service_servers_backup_enabled',
    help: 'Servers whose backup feature is on.',
    read: ({ servers }) => servers.backupEnabled,
  },
  {
    name: 'service_servers_backup_stale',
    help: 'Servers whose backup feature is on, and that had no successful backup for METRICS_BACKUP_STALE_HOURS, or never.',
    read: ({ servers }) => servers.backupStale,
  },
  {
    name: 'service_servers_backup_unverified',
    help: 'Servers whose backup feature is on, with a source of which no snapshot was verified for 31 days, or ever.',
    read: ({ servers }) => servers.backupUnverified,
  },
  {
    name: 'service_servers_never_checked',
    help: 'Servers whose feature is on, and that were never checked for such updates.',
    ...by('kind', CHECK_KINDS, ({ servers }) => servers.neverChecked),
  },
  {
    name: 'service_servers_updates_pending',
    help: 'Servers with updates of a kind pending.',
    ...by('kind', UPDATE_KINDS, ({ servers }) => servers.withUpdates),
  },
  {
    name: 'service_servers_end_of_life',
    help: 'Servers whose release of the operating system no longer gets security updates (ended), or for less than 90 days (ending).',
    ...by('state', SUPPORT_STATES, ({ servers }) => servers.bySupport),
  },
  {
    name: 'service_updates_pending',
    help: 'Updates of a kind that wait on all servers together: packages, or containers.',
    ...by('kind', UPDATE_KINDS, ({ updates }) => updates),
  },
  {
    name: 'service_host_key_mismatches',
    help: 'Servers whose host key differed from the confirmed one in a job within the last 24 hours.',
    read: ({ jobs }) => jobs.hostKeyMismatches,
  },
  {
    name: 'service_jobs',
    help: 'Jobs by status, all that are on record.',
    ...by('status', JOB_STATUSES, ({ jobs }) => jobs.byStatus),
  },
  {
    name: 'service_jobs_active',
    help: 'Pending and running jobs by type.',
    ...by('type', JOB_TYPES, ({ jobs }) => jobs.activeByType),
  },
  {
    name: 'service_jobs_failed_24h',
    help: 'Jobs that failed within the last 24 hours.',
    read: ({ jobs }) => jobs.failedLately,
  },
  {
    name: 'service_jobs_oldest_pending_timestamp_seconds',
    help: 'When the oldest pending job was requested, in seconds since 1970; 0 if none is pending.',
    read: ({ jobs }) => seconds(jobs.oldestPendingAt),
  },
  {
    name: 'service_approvals_pending',
    help: 'Requests that wait for approval.',
    read: ({ approvals }) => approvals.waiting,
  },
  {
    name: 'service_notifications_open',
    help: 'Open notifications.',
    read: ({ notifications }) =>
      NOTIFICATION_KINDS.reduce((sum, type) => sum + notifications.openByType[type], 0),
  },
  {
    name: 'service_notifications_open_by_type',
    help: 'Open notifications by type.',
    ...by('type', NOTIFICATION_KINDS, ({ notifications }) => notifications.openByType),
  },
  {
    name: 'service_webhook_deliveries_pending',
    help: 'Webhook deliveries that are still to be made, or to be tried again.',
    read: ({ deliveries }) => deliveries.pending,
  },
  {
    name: 'service_webhook_deliveries_dead',
    help: 'Webhook deliveries that were given up.',
    read: ({ deliveries }) => deliveries.dead,
  },
  {
    name: 'service_tokens_active',
    help: 'API tokens that are neither revoked nor expired.',
    read: ({ tokens }) => tokens.active,
  },
  {
    name: 'service_tokens_expiring_7d',
    help: 'Active API tokens that expire within seven days.',
    read: ({ tokens }) => tokens.expiring,
  },
];

const identity = ({ id, name }: ServerGauges): Record<string, string> => ({ server_id: String(id), name });

/** Written with METRICS_PER_SERVER=1 alone. */
export const SERVER_SERIES: readonly ServerSeries[] = [
  {
    name: 'service_server_info',
    help: 'A server of the fleet; always 1.',
    labels: ['server_id', 'name', 'os'],
    read: (server) => [[{ ...identity(server), os: server.osPretty ?? 'unknown' }, 1]],
  },
  {
    name: 'service_server_last_backup_timestamp_seconds',
    help: 'Time of the last complete backup of a server, in seconds since 1970; 0 if there is none.',
    labels: ['server_id', 'name'],
    read: (server) => [[identity(server), seconds(server.lastBackupAt)]],
  },
  {
    name: 'service_server_last_seen_timestamp_seconds',
    help: 'When a command last ran on a server, in seconds since 1970; 0 if none ever did.',
    labels: ['server_id', 'name'],
    read: (server) => [[identity(server), seconds(server.lastSeenAt)]],
  },
  {
    name: 'service_server_updates_pending',
    help: 'Pending updates of a kind on a server; left out if the number is unknown.',
    labels: ['server_id', 'name', 'kind'],
    read: (server) =>
      UPDATE_KINDS.flatMap((kind) => {
        const updates = server.updates[kind];
        return updates === null ? [] : [[{ ...identity(server), kind }, updates] as const];
      }),
  },
];

/** Written whatever the database does. */
export const ALWAYS = {
  up: { name: 'service_up', help: 'The service runs; always 1.' },
  databaseUp: {
    name: 'service_db_up',
    help: '1 if the database answered this scrape in time, 0 if not; all other metrics are then left out.',
  },
  build: { name: 'service_build_info', help: 'The version that runs; always 1.', label: 'version' },
  duration: {
    name: 'service_scrape_duration_seconds',
    help: 'How long it took to read the numbers of this scrape from the database.',
  },
} as const;
