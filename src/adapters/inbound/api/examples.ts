import type * as z from 'zod';
import type { Problem } from './problem.ts';
import type { approvalSchema } from './views/approval-view.ts';
import type { inventorySchema } from './views/inventory-view.ts';
import type { jobDetailSchema, jobSchema } from './views/job-view.ts';
import type { repositorySchema } from './views/repository-view.ts';
import type { serverSchema } from './views/server-view.ts';
import type { serviceSchema } from './views/service-view.ts';
import type { snapshotSchema } from './views/snapshot-view.ts';
import type { sourceSchema } from './views/source-view.ts';

/** A call and its reply, for the documents. Tests send each, and validate the reply against its schema. */
export interface Example<In = object, Out = object> {
  readonly title: string;
  /** All fields of the input, wherever a route has them. */
  readonly input: In;
  /** If the reply is a refusal. */
  readonly status?: number;
  readonly output: Out | Problem;
}

/** One small fleet, so that the examples are consistent. */
export const SERVER: z.output<typeof serverSchema> = {
  id: 1,
  name: 'web',
  hostname: 'web.example.org',
  ssh_port: 22,
  ssh_username: 'drover',
  connection: 'ssh',
  tags: ['shop'],
  os_type: 'linux',
  os_id: 'debian',
  os_version: '13',
  os_pretty: 'Debian GNU/Linux 13 (trixie)',
  support_ends_at: '2030-06-30T23:59:59.999Z',
  arch: 'x86_64',
  hardware: 'KVM',
  cpu_cores: 4,
  cpu_load: 0.42,
  memory_total_bytes: 8_589_934_592,
  memory_used_bytes: 3_221_225_472,
  disk_total_bytes: 85_899_345_920,
  disk_used_bytes: 21_474_836_480,
  container_count: 2,
  last_seen: '2026-11-20T05:00:00.000Z',
  features: { backup: true, os_patch: true, docker: false },
  last_backup_at: '2026-11-20T02:00:00.000Z',
  last_verified_at: '2026-11-15T03:00:00.000Z',
  os_updates_count: 3,
  security_updates_count: 1,
  container_updates_count: null,
  reboot_pending: false,
  last_os_check_at: '2026-11-20T04:00:00.000Z',
  last_container_check_at: null,
  inventory_at: '2026-11-20T05:00:00.000Z',
  alerts_open: 0,
};

/** Of a token that needs approval, which wants to switch a feature on. */
export const APPROVAL: z.output<typeof approvalSchema> = {
  id: 1,
  state: 'waiting',
  job_id: null,
  batch_id: null,
  server_id: 1,
  job_type: null,
  change: { kind: 'set_features', summary: 'docker: off → on', outcome: null, outcome_detail: null },
  subject: 'web',
  requested_by: 'token:agent',
  created_at: '2026-11-20T05:00:00.000Z',
  expires_at: '2026-11-21T05:00:00.000Z',
  decided_at: null,
  decided_by: null,
  approved_by: [],
  note: null,
  plan_job_id: null,
};

export const HOST: z.output<typeof inventorySchema> = {
  server_id: 1,
  name: 'web',
  status: 'known',
  at: '2026-11-20T05:00:00.000Z',
  os_pretty: 'Debian GNU/Linux 13 (trixie)',
  kernel: '6.12.48+deb13-amd64',
  arch: 'x86_64',
  hardware: 'KVM',
  cpu_cores: 4,
  memory_total_bytes: 8_589_934_592,
  memory_used_bytes: 3_221_225_472,
  disk_total_bytes: 85_899_345_920,
  disk_used_bytes: 21_474_836_480,
  disks: [{ mount: '/', filesystem: 'ext4', total_bytes: 85_899_345_920, used_bytes: 21_474_836_480 }],
  packages_count: 431,
  updates_count: 1,
  security_updates_count: 1,
  containers_count: 1,
  updates: [
    {
      name: 'openssl',
      from: '3.5.1-1',
      to: '3.5.1-1+deb13u1',
      security: true,
      origin: 'Debian-Security:13/stable-security',
      held: false,
    },
  ],
  containers: [
    {
      name: 'shop-db-1',
      state: 'running',
      running: true,
      image: 'mariadb:11',
      status: 'Up 3 days (healthy)',
      project: 'shop',
      service: 'db',
      path: '/srv/shop',
      ports: [{ address: '127.0.0.1', host_port: 3306, container_port: 3306, protocol: 'tcp', count: 1 }],
      cpu_percent: 0.4,
      memory_bytes: 134_217_728,
      restarts: 0,
      update: null,
    },
  ],
};

export const SERVICE: z.output<typeof serviceSchema> = {
  id: 7,
  server_id: 1,
  server_name: 'web',
  label: 'shop-app-1',
  state: 'failed',
  message: 'Exited (1) 2 minutes ago',
  docker_project: 'shop',
  docker_container: 'shop-app-1',
  checked_at: '2026-11-20T05:00:00.000Z',
};

export const JOB: z.output<typeof jobSchema> = {
  id: 1,
  server_id: 1,
  server_name: 'web',
  job_type: 'backup',
  status: 'pending',
  created_at: '2026-11-20T05:00:00.000Z',
  started_at: null,
  finished_at: null,
  current: null,
  percent: null,
  summary: null,
  scheduled: false,
  requested_by: 'token:nightly',
  reason: null,
  source_filter: null,
  os_steps: null,
  dry_run: false,
  error: null,
  error_code: null,
  log_tail: [],
  done: false,
  cancellable: true,
};

export const DRY_RUN: z.output<typeof jobSchema> = {
  ...JOB,
  id: 2,
  job_type: 'retention',
  source_filter: 'etc',
  dry_run: true,
};

export const ALREADY_ACTIVE: Problem = {
  type: '/docs/errors#job_already_active',
  title: 'Conflict',
  status: 409,
  detail:
    'Job 1 (backup) is already pending on web; poll get_job until it is done instead of starting another.',
  code: 'job_already_active',
  already_active: true,
  job: JOB,
};

export const FINISHED_JOB: z.output<typeof jobDetailSchema> = {
  ...JOB,
  status: 'success',
  started_at: '2026-11-20T05:00:01.000Z',
  finished_at: '2026-11-20T05:00:09.000Z',
  percent: 100,
  summary: 'Backed up 1 source: 4.2 MiB total, 100 KiB transferred.',
  log_tail: ['Snapshot 20261120T050001.000Z of "etc" is complete.'],
  done: true,
  cancellable: false,
  phases: [
    {
      name: 'Transferring',
      started_at: '2026-11-20T05:00:02.000Z',
      ended_at: '2026-11-20T05:00:09.000Z',
      done: 102_400,
      total: 102_400,
      unit: 'bytes',
      per_second: null,
      seconds_left: null,
    },
  ],
  usual_seconds: null,
  log_lines: ['Reading "etc".', 'Snapshot 20261120T050001.000Z of "etc" is complete.'],
  result: {
    dry_run: false,
    snapshots: [
      {
        id: 1,
        source: 'etc',
        name: '20261120T050001.000Z',
        files: 512,
        total_bytes: 4_404_019,
        transferred_bytes: 102_400,
        vanished: 0,
      },
    ],
  },
};

export const CANCELLED_JOB: z.output<typeof jobSchema> = {
  ...JOB,
  status: 'cancelled',
  finished_at: '2026-11-20T05:00:00.500Z',
  summary: 'Cancelled before it started.',
  done: true,
  cancellable: false,
};

export const SNAPSHOT: z.output<typeof snapshotSchema> = {
  id: 1,
  server_id: 1,
  source_id: 1,
  source: 'etc',
  job_id: 1,
  engine: 'rsync',
  name: '20261120T050001.000Z',
  started_at: '2026-11-20T05:00:01.000Z',
  finished_at: '2026-11-20T05:00:09.000Z',
  file_count: 512,
  total_bytes: 4_404_019,
  transferred_bytes: 102_400,
  vanished_count: 0,
  manifest_sha256: 'b3f7c9d07b3d7f2d9f38a0a9d39b0b8b1f1b6f5a3a1e2c4d5e6f708192a3b4c5',
  last_verified_at: '2026-11-20T06:00:00.000Z',
  checked_at: '2026-11-20T06:00:00.000Z',
  check_outcome: 'good',
  check_detail: null,
  pinned_at: null,
};

export const SOURCE: z.output<typeof sourceSchema> = {
  id: 1,
  server_id: 1,
  name: 'etc',
  kind: 'files',
  engine: 'rsync',
  repository_id: null,
  paths: ['/etc'],
  excludes: [],
  retention: { keep_last: 3, keep_daily: 7, keep_weekly: 4, keep_monthly: 6, keep_yearly: 0 },
  compare_content_every: 0,
  hooks: [],
  dumps: [],
  last_success_at: '2026-11-20T05:00:01.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
};

export const REPOSITORY: z.output<typeof repositorySchema> = {
  id: 1,
  name: 'offsite',
  kind: 'rest',
  url: 'rest:https://backup.example.org/web',
  initialised_at: '2026-11-20T05:00:01.000Z',
  created_at: '2026-11-19T10:00:00.000Z',
};

export const page = (total: number, limit = 50) => ({ total, limit, offset: 0 });
