import type { ErrorCode } from '../../../../../domain/base/errors.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { PLAIN_JOB_TYPES } from '../../../../../domain/jobs/job-types.ts';

interface Cure {
  readonly href: string;
  readonly label: string;
}

type CureOf = (job: Job) => Cure;

const atServer =
  (path: string, label: string): CureOf =>
  ({ serverId }) => ({ href: `/servers/${serverId}/${path}`, label });

/** The source that a failed backup names, or the one that it was for. */
export const sourceOf = ({ error, params }: Job): string | null =>
  /^(?:A b|B)ackup of "([^"]+)"/.exec(error?.detail ?? '')?.[1] ?? params.sourceFilter;

const atSource =
  (place: 'edit' | 'dumps', label: string): CureOf =>
  (job) => {
    const source = sourceOf(job);
    const sources = `/servers/${job.serverId}/sources`;
    return source === null
      ? { href: sources, label: 'Check the sources' }
      : { href: `${sources}/${encodeURIComponent(source)}/${place}`, label: `${label} ${source}` };
  };

/** The form of the same job, which starts with a dry run if the job changes the server; a restore starts at its snapshot. */
const AGAIN: CureOf = (job) => {
  const { serverId, jobType, params } = job;
  const { updateJobId, snapshotId, sourceFilter, service, template } = params;
  if (updateJobId !== undefined) return { href: `/jobs/${updateJobId}`, label: 'Plan the downgrade again' };
  if (!PLAIN_JOB_TYPES.includes(jobType))
    return snapshotId === undefined
      ? SNAPSHOTS(job)
      : { href: `/snapshots/${snapshotId}`, label: 'Restore again' };
  const fields = Object.entries({ type: jobType, source_filter: sourceFilter, service, template });
  const typed = fields.flatMap(([name, value]) => (value ? [[name, value]] : []));
  return { href: `/servers/${serverId}/jobs/new?${new URLSearchParams(typed)}`, label: 'Start it again' };
};

const at =
  (href: string, label: string): CureOf =>
  () => ({ href, label });

const SERVER: CureOf = ({ serverId }) => ({ href: `/servers/${serverId}`, label: 'View the server' });
const CONNECTION: CureOf = ({ serverId }) => ({
  href: `/servers/${serverId}`,
  label: 'Check the connection',
});
const HOST_KEY = atServer('setup/host-key', 'Compare the host key');
const CONTAINERS = atServer('containers', 'View containers');
const UPDATES = atServer('updates', 'View updates');
const SOURCE = atSource('edit', 'Edit source');
const REPOSITORIES = at('/settings/repositories', 'Check the repository');
const REQUESTS = at('/approvals', 'View requests');
const SCHEDULES = at('/schedules', 'View schedules');
const SERVICE = at('/settings/about', 'View the state of Drover');
const SNAPSHOTS = atServer('backups', 'View snapshots');
const FILES = atServer('files', 'View files');
const FILE_ROOT = atServer('settings', 'Set the file root');
const METRICS = atServer('metrics', 'View memory and disk usage');

/** Where the cause of a failure can be fixed: for every code that a job can end with. */
export const CURES: Partial<Readonly<Record<ErrorCode, CureOf>>> = {
  source_missing: SOURCE,
  backup_failed: SOURCE,
  host_permission_denied: SOURCE,
  hook_failed: SOURCE,
  dump_failed: atSource('dumps', 'Edit dumps of'),
  dump_not_found: atSource('dumps', 'Edit dumps of'),
  no_backup_source: atServer('sources', 'Add a source'),
  source_not_found: atServer('sources', 'Check the sources'),
  snapshot_not_found: SNAPSHOTS,
  snapshot_damaged: SNAPSHOTS,
  snapshot_in_use: SNAPSHOTS,
  snapshot_protected: SNAPSHOTS,
  backup_unreadable: SNAPSHOTS,
  restore_target_not_empty: AGAIN,
  restore_failed: AGAIN,
  dump_restore_failed: AGAIN,
  host_unreachable: CONNECTION,
  host_connection_lost: CONNECTION,
  host_timeout: CONNECTION,
  host_auth_failed: atServer('setup/key', 'Install the key'),
  key_not_found: atServer('setup/key', 'Install the key'),
  host_key_unknown: HOST_KEY,
  host_key_mismatch: HOST_KEY,
  host_command_failed: SERVER,
  host_unsupported: SERVER,
  host_tool_missing: atServer('settings', 'View features'),
  feature_disabled: atServer('settings', 'Enable the feature'),
  patch_failed: UPDATES,
  patch_unhealthy: UPDATES,
  compose_invalid: CONTAINERS,
  deploy_failed: CONTAINERS,
  rollback_failed: CONTAINERS,
  project_not_found: CONTAINERS,
  deployment_not_found: CONTAINERS,
  template_not_found: at('/templates', 'View templates'),
  disk_full: atServer('metrics', 'View disk usage'),
  repository_unusable: REPOSITORIES,
  repository_in_use: REPOSITORIES,
  repository_not_found: REPOSITORIES,
  outside_maintenance_window: at('/windows', 'View maintenance windows'),
  held_by_policy: at('/policies', 'View patch policies'),
  owner_void: SCHEDULES,
  schedule_changed: SCHEDULES,
  own_machine_restricted: SCHEDULES,
  approval_void: REQUESTS,
  approval_refused: REQUESTS,
  approval_expired: REQUESTS,
  plan_not_found: AGAIN,
  plan_expired: AGAIN,
  plan_used: AGAIN,
  plan_drifted: AGAIN,
  job_cancelled: AGAIN,
  work_not_started: AGAIN,
  work_interrupted: AGAIN,
  work_died: METRICS,
  invalid_input: AGAIN,
  job_type_unavailable: SERVICE,
  lease_lost: SERVICE,
  worker_lost: SERVICE,
  clock_jumped: SERVICE,
  master_key_not_ready: SERVICE,
  secret_unreadable: SERVICE,
  database_unavailable: SERVICE,
  not_ready: SERVICE,
  internal: SERVICE,
  files_not_configured: FILE_ROOT,
  jail_unusable: FILE_ROOT,
  path_refused: FILES,
  file_not_found: FILES,
  file_exists: FILES,
  not_a_file: FILES,
  not_a_directory: FILES,
  directory_not_empty: FILES,
  file_too_large: FILES,
  changed_since_read: FILES,
};
