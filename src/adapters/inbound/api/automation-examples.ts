import type * as z from 'zod';
import type { batchMemberSchema, batchSchema } from './views/batch-view.ts';
import type { forecastSchema } from './views/forecast-view.ts';
import type { policySchema } from './views/policy-view.ts';
import type { scheduleRunSchema, scheduleSchema } from './views/schedule-view.ts';
import type { windowSchema } from './views/window-view.ts';

/** Schedules and batches in the examples of the documents. */

const RUN = {
  source_filter: null,
  service: null,
  os_steps: null,
  grace_seconds: null,
  prune: false,
  guard: null,
  observe_minutes: null,
  wait_for_host_minutes: null,
  dry_run: false,
  max_parallel: 10,
};

export const BATCH: z.output<typeof batchSchema> = {
  id: 1,
  job_type: 'os_update_check',
  status: 'running',
  selector: { by: 'tags', tags: ['test'] },
  ...RUN,
  canary: 1,
  stop_after_failures: 2,
  plan_batch_id: null,
  hosts: {
    total: 2,
    waiting: 1,
    active: 0,
    success: 0,
    failed: 0,
    cancelled: 0,
    skipped: 1,
    left_out: 0,
  },
  requested_by: 'token:nightly',
  scheduled: false,
  schedule_id: null,
  outside_window: false,
  created_at: '2026-11-20T05:00:00.000Z',
  finished_at: null,
  cancel_requested_at: null,
  approved_by: null,
  stop_reason: null,
  done: false,
};

export const CANCELLED_BATCH: z.output<typeof batchSchema> = {
  ...BATCH,
  hosts: { ...BATCH.hosts, waiting: 0, left_out: 1 },
  cancel_requested_at: '2026-11-20T05:00:04.000Z',
};

export const MEMBERS: z.output<typeof batchMemberSchema>[] = [
  {
    server_id: 1,
    server_name: 'web',
    ring: null,
    ring_tag: null,
    status: 'waiting',
    job_id: null,
    not_before: null,
    code: null,
    detail: null,
  },
  {
    server_id: 2,
    server_name: 'db',
    ring: null,
    ring_tag: null,
    status: 'skipped',
    job_id: null,
    not_before: null,
    code: 'feature_disabled',
    detail:
      'The feature "os_patch" is off for db; an operator can switch it on with `drover server features 2 os_patch=on`.',
  },
];

export const SCHEDULE: z.output<typeof scheduleSchema> = {
  id: 1,
  name: 'nightly-check',
  selector: { ids: null, tags: ['test'], all: false },
  cron: '30 3 * * *',
  time_zone: 'Europe/Berlin',
  job_type: 'os_update_check',
  ...RUN,
  canary: 0,
  stop_after_failures: null,
  jitter_seconds: 300,
  enabled: true,
  require_approval: false,
  owner: 'token:nightly',
  off_reason: null,
  created_by: 'token:nightly',
  created_at: '2026-11-20T05:00:00.000Z',
  updated_at: '2026-11-20T05:00:00.000Z',
};

export const SCHEDULE_RUN: z.output<typeof scheduleRunSchema> = {
  id: 1,
  at: '2026-11-20T05:00:00.001Z',
  manual: true,
  outcome: 'started',
  job_id: null,
  batch_id: 2,
  code: null,
  detail: null,
};

export const WINDOW: z.output<typeof windowSchema> = {
  id: 1,
  name: 'sunday-night',
  selector: { ids: null, tags: ['shop'], all: false },
  cron: '0 2 * * 0',
  time_zone: 'Europe/Berlin',
  duration_minutes: 120,
  enabled: true,
  open: false,
  open_until: null,
  opens_at: '2026-11-22T01:00:00.000Z',
  created_by: 'cli:ops',
  created_at: '2026-11-20T05:00:00.000Z',
};

export const POLICY: z.output<typeof policySchema> = {
  id: 1,
  name: 'careful',
  selector: { ids: null, tags: ['web'], all: false },
  scheduled_types: ['os_patch', 'container_patch'],
  security_only: false,
  min_age_hours: 72,
  min_age_by_hand_hours: 0,
  security_at_once: true,
  reboot_if_needed: true,
  restart_unhealthy: { checks: 3, per_day: 5, projects: null },
  exclusions: [
    { kind: 'image', pattern: 'postgres', reason: 'Needs a dump first', until: '2026-12-31T00:00:00.000Z' },
  ],
  rings: [{ tag: 'canary', bake_hours: 24 }],
  order: ['db', 'app'],
  groups: [{ tag: 'db', at_once: 1 }],
  created_by: 'user:ann',
  created_at: '2026-11-20T05:00:00.000Z',
};

export const FORECAST: z.output<typeof forecastSchema> = {
  server_id: 1,
  server_name: 'web',
  policy: 'careful',
  updates: [
    {
      job_type: 'os_patch',
      schedule: 'sunday-updates',
      at: '2026-11-22T02:00:00.000Z',
      starts: true,
      refused_code: null,
      refused_detail: null,
      installs_count: 1,
      installs: ['openssl 3.0.15-1~deb12u1'],
      turn: { ring: 1, ring_tag: 'canary', turn: 1 },
      held_count: 1,
      held: [
        {
          name: 'nginx',
          reason:
            'Held back until 2026-11-23 09:00 UTC: 41 hours old, and the policy careful requires 72 hours.',
        },
      ],
    },
  ],
};
