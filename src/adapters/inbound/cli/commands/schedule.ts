import { type Command, Option } from 'commander';
import { GetSchedule, ListSchedules } from '../../../../application/automation/list-schedules.ts';
import { ManageSchedules } from '../../../../application/automation/manage-schedules.ts';
import { RunSchedule } from '../../../../application/automation/run-schedule.ts';
import { type Schedule, scheduleNotFound } from '../../../../domain/automation/schedule.ts';
import type { ScheduleEdit } from '../../../../domain/automation/schedule-description.ts';
import { ownerLabel } from '../../../../domain/automation/schedule-owner.ts';
import { type JobType, PLAIN_JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { pageView } from '../../api/views/page-view.ts';
import {
  scheduleDetailView,
  scheduleOverviewView,
  scheduleRunView,
  scheduleView,
} from '../../api/views/schedule-view.ts';
import { type PageOptions, takesId, withExamples, withPage } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { selectorWords } from '../find-server.ts';
import {
  type BoundsOptions,
  boundsOf,
  hasSelector,
  type ParamOptions,
  paramsOf,
  type SelectorOptions,
  selectorOf,
  timeSpan,
  withBounds,
  withParams,
  withSelector,
} from '../job-options.ts';
import type { Runner } from '../runner.ts';
import { SCHEDULE_HEADING, scheduleRow, scheduleText, startedText } from '../schedule-text.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf, pageText } from '../words.ts';

interface WhatOptions extends SelectorOptions, BoundsOptions, ParamOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly type?: JobType;
  readonly jitter?: number;
}

interface AddOptions extends WhatOptions {
  readonly cron: string;
  readonly type: JobType;
  readonly disabled?: true;
}

interface EditOptions extends WhatOptions {
  readonly name?: string;
  /** False where --no-stop is given. */
  readonly stop?: boolean;
}

const NAME_ARGUMENT = ['<schedule>', "the schedule's id or name"] as const;

export function addScheduleCommands(program: Command, runner: Runner): void {
  const schedule = program.command('schedule').description('manage recurring jobs');
  withExamples(
    withWhat(schedule.command('add').description('create a schedule'), true)
      .argument('<name>', 'name of the schedule')
      .option('--disabled', 'create it switched off')
      .action(runner.run(add)),
    'drover schedule add nightly --type backup --server web --cron "30 2 * * *" --zone Europe/Berlin',
    'drover schedule add sundays --type os_patch --tag web --cron "0 3 * * 0" --canary 2 --stop-after 1 --jitter 10m',
  );
  withPage(schedule.command('list').description('list schedules by name, with their next times'), 50).action(
    runner.read(list),
  );
  withPage(
    schedule
      .command('show')
      .description('show a schedule with its next times and last runs')
      .argument(...NAME_ARGUMENT),
    20,
  ).action(runner.run(show));
  withExamples(
    withWhat(schedule.command('edit').description('edit a schedule; options you omit stay unchanged'), false)
      .argument(...NAME_ARGUMENT)
      .option('--name <name>', 'new name')
      .option('--no-stop', 'start all jobs, however many fail')
      .action(runner.run(edit)),
    'drover schedule edit nightly --cron "0 4 * * *"',
  );
  const verb = (name: string, what: string): Command =>
    schedule
      .command(name)
      .description(what)
      .argument(...NAME_ARGUMENT);
  verb('enable', 'switch a schedule on; missed runs are not caught up').action(runner.run(enable));
  verb('disable', 'switch a schedule off; jobs that it started continue').action(runner.run(disable));
  withYes(verb('remove', 'delete a schedule and its run history')).action(runner.run(remove));
  verb('run-now', 'run a schedule now').action(runner.run(runNow));
}

function withWhat(command: Command, isNew: boolean): Command {
  const cron = new Option(
    '--cron <expression>',
    'minute, hour, day of the month, month, day of the week: "30 2 * * 0"',
  );
  const type = new Option('--type <type>', 'job type').choices(PLAIN_JOB_TYPES);
  command
    .addOption(cron.makeOptionMandatory(isNew))
    .option('--zone <name>', `time zone of the expression${isNew ? ' (default: UTC)' : ''}`)
    .addOption(type.makeOptionMandatory(isNew))
    .option('--jitter <time>', "maximum delay of each server's job: 10m", timeSpan);
  return withParams(withBounds(withSelector(command)));
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const schedule = await session.useCases.get(ManageSchedules).add(session.actor, {
    name,
    selector: await selectorOf(session, options),
    cron: { expression: options.cron, timeZone: options.zone ?? 'UTC' },
    jobType: options.type,
    params: paramsOf(options),
    bounds: boundsOf(options),
    jitterMs: options.jitter ?? 0,
    enabled: options.disabled !== true,
  });
  return shown(session, schedule, 'Added');
}

async function edit(session: Session, reference: string, options: EditOptions): Promise<Reply> {
  const { id } = await findSchedule(session, reference);
  const { cron, zone, name, type, jitter } = options;
  const bounds = { ...(options.stop === false ? { stopAfterFailures: null } : {}), ...boundsOf(options) };
  const params = paramsOf(options);
  const change: ScheduleEdit = {
    name,
    selector: hasSelector(options) ? await selectorOf(session, options) : undefined,
    cron: cron === undefined && zone === undefined ? undefined : { expression: cron, timeZone: zone },
    jobType: type,
    params: Object.keys(params).length === 0 ? undefined : params,
    bounds: Object.keys(bounds).length === 0 ? undefined : bounds,
    jitterMs: jitter,
  };
  return shown(
    session,
    await session.useCases.get(ManageSchedules).edit(session.actor, id, change),
    'Changed',
  );
}

const enable = (session: Session, reference: string): Promise<Reply> => switched(session, reference, true);
const disable = (session: Session, reference: string): Promise<Reply> => switched(session, reference, false);

async function switched(session: Session, reference: string, enabled: boolean): Promise<Reply> {
  const before = await findSchedule(session, reference);
  const schedule = await session.useCases.get(ManageSchedules).edit(session.actor, before.id, { enabled });
  if (ownerLabel(schedule) !== ownerLabel(before)) {
    session.note(`${ownerLabel(before)} may no longer run it; ${ownerLabel(schedule)} owns it now.`);
  }
  return shown(session, schedule, enabled ? 'Switched on' : 'Switched off');
}

async function shown(session: Session, schedule: Schedule, verb: string): Promise<Reply> {
  const page = { limit: 1, offset: 0 };
  const { nextRuns } = await session.useCases.get(GetSchedule).execute(session.actor, schedule.id, page);
  const words = await selectorWords(session, [schedule.selector]);
  return {
    json: scheduleView(schedule),
    text: `${verb} the schedule ${schedule.name}.\n${scheduleText(schedule, nextRuns, [], words)}`,
  };
}

async function list(session: Session, page: PageOptions): Promise<Reply> {
  const found = await session.useCases.get(ListSchedules).execute(session.actor, page);
  const words = await selectorWords(
    session,
    found.items.map(({ schedule }) => schedule.selector),
  );
  return {
    json: { schedules: found.items.map(scheduleOverviewView), ...pageView(found) },
    text: pageText(
      found,
      'There are no schedules. Create one with: drover schedule add NAME --type backup --server SERVER --cron "30 2 * * *"\n',
      table(
        SCHEDULE_HEADING,
        found.items.map((each) => scheduleRow(each, words)),
      ),
    ),
  };
}

async function show(session: Session, reference: string, page: PageOptions): Promise<Reply> {
  const { id } = await findSchedule(session, reference);
  const { schedule, nextRuns, runs } = await session.useCases
    .get(GetSchedule)
    .execute(session.actor, id, page);
  const words = await selectorWords(session, [schedule.selector]);
  return {
    json: { ...scheduleDetailView(schedule, nextRuns, runs.items), ...pageView(runs) },
    text: scheduleText(schedule, nextRuns, runs.items, words) + moreOf(runs),
  };
}

async function remove(session: Session, reference: string, options: YesOption): Promise<Reply> {
  const schedule = await findSchedule(session, reference);
  await confirmed(session, options, `Delete the schedule ${schedule.name}?`);
  const removed = await session.useCases.get(ManageSchedules).remove(session.actor, schedule.id);
  return {
    json: { ok: true, schedule: scheduleView(removed) },
    text: `Deleted the schedule ${removed.name}. Jobs that it started continue.\n`,
  };
}

async function runNow(session: Session, reference: string): Promise<Reply> {
  const { id } = await findSchedule(session, reference);
  const run = await session.useCases.get(RunSchedule).execute(session.actor, id);
  return { json: scheduleRunView(run), text: startedText(run) };
}

/** A schedule by its id or, if that is not a number, by its name. Throws `schedule_not_found`. */
async function findSchedule({ useCases, actor }: Session, reference: string): Promise<Schedule> {
  const named = await useCases.get(ListSchedules).named(actor, reference);
  if (takesId(reference, 'schedule', named)) {
    const page = { limit: 1, offset: 0 };
    return (await useCases.get(GetSchedule).execute(actor, Number(reference), page)).schedule;
  }
  if (named) return named;
  throw scheduleNotFound(`"${reference.slice(0, 60)}"`);
}
