import * as z from 'zod';
import { GetSchedule, ListSchedules } from '../../../../application/automation/list-schedules.ts';
import { ManageSchedules } from '../../../../application/automation/manage-schedules.ts';
import { RunSchedule } from '../../../../application/automation/run-schedule.ts';
import type { Schedule, ScheduleRun } from '../../../../domain/automation/schedule.ts';
import { SCHEDULE, SCHEDULE_RUN } from '../automation-examples.ts';
import { scheduleId } from '../automation-fields.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { describedBy, editBy, editedSchedule, newSchedule, removedBy } from '../schedule-input.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import {
  scheduleDetailShape,
  scheduleDetailView,
  scheduleOverviewSchema,
  scheduleOverviewView,
  scheduleRunSchema,
  scheduleRunView,
  scheduleSchema,
  scheduleView,
} from '../views/schedule-view.ts';

export const listSchedules = operation({
  name: 'list_schedules',
  scope: 'read',
  effect: 'reads',
  title: 'List schedules',
  description:
    'Lists schedules by name, with the next run and the result of the last one. A token limited to servers sees only schedules for those servers.',
  input: z.strictObject(pageFields(50)),
  output: z.strictObject({ schedules: z.array(scheduleOverviewSchema), ...pageShape }),
  group: 'Schedules',
  errors: [],
  examples: [
    {
      title: 'All of them',
      input: {},
      output: {
        schedules: [{ ...SCHEDULE, next_run_at: '2026-11-21T02:30:00.000Z', last_run: SCHEDULE_RUN }],
        ...examplePage(1),
      },
    },
  ],
  routes: [{ method: 'GET', path: '/schedules', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(ListSchedules).execute(actor, input);
    return { schedules: page.items.map(scheduleOverviewView), ...pageView(page) };
  },
});

export const addSchedule = operation({
  name: 'add_schedule',
  scope: 'jobs',
  effect: 'changes',
  title: 'Add a schedule',
  description:
    "Creates a schedule: it starts a job if the selector names one server, otherwise a batch on the servers that match at that time. A run missed while Drover was down starts if Drover is back within 30 minutes. On clock changes, a skipped time runs right after the gap, and a repeated time runs once. A token limited to servers selects them by ID. If the token needs approval, so do the schedule (202) and each of its jobs. The schedule runs with the token's current rights, and is switched off if they no longer suffice.",
  input: newSchedule,
  output: scheduleSchema,
  group: 'Schedules',
  errors: ['feature_not_allowed', 'server_not_found', 'job_type_unavailable', 'name_taken'],
  examples: [
    {
      title: 'Check for updates every night',
      input: {
        name: 'nightly-check',
        selector: { tags: ['test'] },
        cron: '30 3 * * *',
        time_zone: 'Europe/Berlin',
        job_type: 'os_update_check',
        jitter_seconds: 300,
      },
      output: SCHEDULE,
    },
  ],
  routes: [{ method: 'POST', path: '/schedules', status: 201 }],
  change: (input) => ({ kind: 'add_schedule', asked: describedBy(input) }),
  async run(useCases, actor, input, keep) {
    const keepView = keep && ((added: Schedule) => keep(scheduleView(added)));
    return scheduleView(await useCases.get(ManageSchedules).add(actor, describedBy(input), keepView));
  },
});

export const getSchedule = operation({
  name: 'get_schedule',
  scope: 'read',
  effect: 'reads',
  title: 'Show a schedule',
  description:
    'Returns a schedule, its next times and its last runs, newest first. Outcome started: with the job or batch; skipped: such a job was already running; refused: it could not be started, see detail; missed: Drover was down.',
  input: z.strictObject({ schedule_id: scheduleId, ...pageFields(20) }),
  output: z.strictObject({ ...scheduleDetailShape, ...pageShape }),
  group: 'Schedules',
  errors: ['schedule_not_found'],
  examples: [
    {
      title: 'A schedule with its times',
      input: { schedule_id: 1 },
      output: {
        schedule: SCHEDULE,
        next_runs: ['2026-11-21T02:30:00.000Z', '2026-11-22T02:30:00.000Z'],
        runs: [SCHEDULE_RUN],
        ...examplePage(1, 20),
      },
    },
  ],
  routes: [{ method: 'GET', path: '/schedules/{schedule_id}', status: 200 }],
  async run(useCases, actor, { schedule_id, limit, offset }) {
    const page = { limit, offset };
    const { schedule, nextRuns, runs } = await useCases.get(GetSchedule).execute(actor, schedule_id, page);
    return { ...scheduleDetailView(schedule, nextRuns, runs.items), ...pageView(runs) };
  },
});

export const editSchedule = operation({
  name: 'edit_schedule',
  scope: 'jobs',
  effect: 'changes',
  title: 'Change a schedule',
  description:
    'Changes only the fields in the request; null removes a parameter. A token can change only schedules that it owns. After a change of time, or when you switch the schedule on, missed runs are not caught up.',
  input: editedSchedule,
  output: scheduleSchema,
  group: 'Schedules',
  errors: [
    'empty_change',
    'feature_not_allowed',
    'approval_required',
    'not_owner',
    'schedule_not_found',
    'server_not_found',
    'job_type_unavailable',
    'name_taken',
    'schedule_changed',
  ],
  examples: [
    {
      title: 'Switch it off',
      input: { schedule_id: 1, enabled: false },
      output: { ...SCHEDULE, enabled: false },
    },
  ],
  routes: [{ method: 'PATCH', path: '/schedules/{schedule_id}', status: 200 }],
  change: (input) => ({
    kind: 'edit_schedule',
    scheduleId: input.schedule_id,
    asked: editBy(input),
    cleared: removedBy(input),
  }),
  async run(useCases, actor, input) {
    return scheduleView(await useCases.get(ManageSchedules).edit(actor, input.schedule_id, editBy(input)));
  },
});

export const runSchedule = operation({
  name: 'run_schedule',
  scope: 'jobs',
  effect: 'asks',
  title: 'Run a schedule now',
  description:
    "Starts the schedule's job or batch now, on behalf of this token, which must own the schedule. Its regular times do not change.",
  input: z.strictObject({ schedule_id: scheduleId }),
  output: scheduleRunSchema,
  group: 'Schedules',
  errors: [
    'feature_not_allowed',
    'approval_required',
    'not_owner',
    'schedule_not_found',
    'server_not_found',
    'own_machine_restricted',
    'feature_disabled',
    'outside_maintenance_window',
    'job_type_unavailable',
    'source_not_found',
    'no_backup_source',
    'job_already_active',
  ],
  examples: [{ title: 'Run now', input: { schedule_id: 1 }, output: SCHEDULE_RUN }],
  routes: [{ method: 'POST', path: '/schedules/{schedule_id}/run', status: 202 }],
  async run(useCases, actor, input, keep) {
    const keepView = keep && ((run: ScheduleRun) => keep(scheduleRunView(run)));
    return scheduleRunView(await useCases.get(RunSchedule).execute(actor, input.schedule_id, keepView));
  },
});

export const removeSchedule = operation({
  name: 'remove_schedule',
  scope: 'jobs',
  effect: 'changes',
  title: 'Delete a schedule',
  description:
    'Deletes a schedule and its run history. Jobs and batches that it started continue. A token can delete only schedules that it owns.',
  input: z.strictObject({ schedule_id: scheduleId }),
  output: z.strictObject({ ok: z.literal(true), schedule: scheduleSchema }),
  group: 'Schedules',
  errors: ['feature_not_allowed', 'approval_required', 'not_owner', 'schedule_not_found'],
  examples: [
    {
      title: 'For good',
      input: { schedule_id: 1 },
      output: { ok: true, schedule: { ...SCHEDULE, enabled: false } },
    },
  ],
  routes: [{ method: 'DELETE', path: '/schedules/{schedule_id}', status: 200 }],
  change: (input) => ({ kind: 'remove_schedule', scheduleId: input.schedule_id }),
  async run(useCases, actor, input) {
    const schedule = await useCases.get(ManageSchedules).remove(actor, input.schedule_id);
    return { ok: true as const, schedule: scheduleView(schedule) };
  },
});
