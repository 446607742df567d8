import type { VNode } from 'preact';
import type { GetSchedule } from '../../../../../application/automation/list-schedules.ts';
import type { ManageSchedules } from '../../../../../application/automation/manage-schedules.ts';
import type { PreviewTimes } from '../../../../../application/automation/preview-times.ts';
import type { RunSchedule } from '../../../../../application/automation/run-schedule.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { type Schedule, scheduleNotFound } from '../../../../../domain/automation/schedule.ts';
import { DomainError, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { staysWithin } from '../../../../../domain/fleet/host-selector.ts';
import { type JobType, REPEATABLE_JOB_TYPES } from '../../../../../domain/jobs/job-types.ts';
import { statusOf } from '../../../api/error-table.ts';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { LocalTimes } from '../../components/time.tsx';
import { blaming, idOf, submit } from '../../form-state.ts';
import { jobTypeOf } from '../../job-request.ts';
import { done, page, part, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import {
  cronOf,
  scheduleEdit,
  scheduleFields,
  scheduleRequest,
  scheduleSentence,
} from '../../schedule-request.ts';
import { formFor, namesIn } from '../../server-names.ts';
import { CRON_CHECK, Times } from './cron-fields.tsx';
import { bulkScheduleRoutes } from './schedule-bulk.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { SCHEDULES_PATH as PATH, type ScheduleListDeps, scheduleList } from './schedule-list.tsx';
import { ScheduleView, scheduleHead } from './schedule-view.tsx';
import { jobChoices } from './selector-fields.tsx';

export interface ScheduleDeps extends ScheduleListDeps {
  readonly manageSources: Pick<ManageSources, 'names'>;
  readonly getSchedule: Pick<GetSchedule, 'execute'>;
  readonly manageSchedules: Pick<ManageSchedules, 'add' | 'edit' | 'remove'>;
  readonly runSchedule: Pick<RunSchedule, 'execute'>;
  readonly previewTimes: Pick<PreviewTimes, 'execute' | 'until'>;
  readonly listServers: Pick<ListServers, 'execute' | 'tags' | 'names'>;
  readonly getServer: Pick<GetServer, 'execute'>;
}

const RUNS = 20;
const NIGHTLY = 'nightly-backup';
const MAX_TAKEN = 100;

/** Recurring jobs. */
export function scheduleRoutes(deps: ScheduleDeps): readonly WebRoute[] {
  const change = (
    verb: string,
    handle: (visit: SignedInVisit, schedule: Schedule) => Promise<string>,
  ): WebRoute => ({
    method: 'POST',
    path: `${PATH}/:id/${verb}`,
    needs: 'operator',
    handle: async (visit) => {
      const schedule = await scheduleOf(deps, visit);
      return done(await handle(visit, schedule), schedule.name);
    },
  });
  const switched =
    (enabled: boolean) =>
    async (visit: SignedInVisit, { id }: Schedule) => {
      await deps.manageSchedules.edit(visit.visitor.actor, id, { enabled });
      return visit.form.get('back') === PATH ? PATH : `${PATH}/${id}`;
    };
  return [
    ...listRoutes(PATH, 'viewer', (visit) => scheduleList(deps, visit)),
    ...bulkScheduleRoutes(deps),
    { method: 'GET', path: `${PATH}/new`, needs: 'operator', handle: (visit) => newPage(deps, visit) },
    { method: 'POST', path: `${PATH}/new`, needs: 'operator', handle: (visit) => add(deps, visit) },
    { method: 'GET', path: `${PATH}/:id`, needs: 'viewer', handle: (visit) => showPage(deps, visit) },
    { method: 'GET', path: `${PATH}/:id/edit`, needs: 'operator', handle: (visit) => editPage(deps, visit) },
    { method: 'POST', path: `${PATH}/:id/edit`, needs: 'operator', handle: (visit) => edit(deps, visit) },
    change('enable', switched(true)),
    change('disable', switched(false)),
    change('remove', async (visit, { id }) => {
      await deps.manageSchedules.remove(visit.visitor.actor, id);
      return PATH;
    }),
    { method: 'POST', path: `${PATH}/:id/run`, needs: 'operator', handle: (visit) => runNow(deps, visit) },
    { method: 'GET', path: CRON_CHECK, needs: 'viewer', handle: (visit) => times(deps, visit) },
  ];
}

/** Throws `schedule_not_found` for an invalid id. */
function scheduleId({ params }: SignedInVisit): number {
  const id = idOf(params['id']);
  if (id === null) throw scheduleNotFound('of that number');
  return id;
}

async function showPage(
  deps: ScheduleDeps,
  visit: SignedInVisit,
  error: DomainError | null = null,
): Promise<WebReply> {
  const { visitor, query, now } = visit;
  const { actor } = visitor;
  const runs = { limit: RUNS, offset: offsetOf(query) };
  const detail = await deps.getSchedule.execute(actor, scheduleId(visit), runs);
  const names = await namesIn(deps.listServers, actor, [detail.schedule.selector]);
  const shown = { detail, names, now, mayAct: staysWithin(detail.schedule.selector, actor.reach('jobs')) };
  const reply = page(
    'jobs',
    detail.schedule.name,
    <>
      {error === null ? null : (
        <p class="notice bad" role="alert">
          Not started: <LocalTimes text={error.message} />
        </p>
      )}
      <ScheduleView {...shown} paging={{ path: `${PATH}/${detail.schedule.id}`, query }} />
    </>,
    error === null ? 200 : statusOf(error.code),
  );
  return { ...reply, header: scheduleHead(shown), live: { all: true } };
}

/** Redirects to the started job or batch. */
async function runNow(deps: ScheduleDeps, visit: SignedInVisit): Promise<WebReply> {
  return submit(
    visit.form,
    async () => {
      const { name } = await scheduleOf(deps, visit);
      const run = await deps.runSchedule.execute(visit.visitor.actor, scheduleId(visit));
      if (run.jobId !== null) return done(`/jobs/${run.jobId}`, name);
      return done(run.batchId === null ? `${PATH}/${run.scheduleId}` : `/batches/${run.batchId}`, name);
    },
    (_, error) => {
      if (error.code === 'schedule_not_found') throw error;
      return showPage(deps, visit, error);
    },
  );
}

async function newPage(deps: ScheduleDeps, { visitor, query }: SignedInVisit): Promise<WebReply> {
  const asked = jobTypeOf(query.get('type'));
  const type = asked !== null && REPEATABLE_JOB_TYPES.includes(asked) ? asked : 'backup';
  // After another type was chosen, what was typed so far is in the address.
  const state = query.has('name')
    ? { ...NEW_FORM, typed: query }
    : await formFor(deps.getServer, visitor.actor, query);
  const name = asked === 'backup' ? await freeName(deps, visitor.actor) : '';
  return formPage(deps, visitor.actor, { state, type, schedule: null, status: 200, name });
}

/** For the usual schedule of backups. */
async function freeName({ listSchedules }: ScheduleDeps, actor: Actor): Promise<string> {
  const { items } = await listSchedules.execute(actor, { limit: MAX_TAKEN, offset: 0 });
  const taken = items.map(({ schedule }) => schedule.name);
  const numbered = taken.map((_, index) => `${NIGHTLY}-${index + 2}`);
  return [NIGHTLY, ...numbered].find((name) => !taken.includes(name)) ?? '';
}

interface FormPage {
  readonly state: FormState;
  readonly type: JobType;
  /** Null: a new one. */
  readonly schedule: Schedule | null;
  readonly status: number;
  readonly name?: string;
  /** What was asked for without a script. */
  readonly preview?: VNode;
}

const formPage = async (
  deps: ScheduleDeps,
  actor: Actor,
  { state, type, schedule, status, preview, name = '' }: FormPage,
): Promise<WebReply> =>
  page(
    'jobs',
    schedule === null ? 'New schedule' : `Edit ${schedule.name}`,
    <>
      <FormFault state={state} />
      <ScheduleForm
        {...{ state, type, schedule, name }}
        choices={await jobChoices(deps, actor)}
        zone={await deps.defaultTimeZone.get()}
        preview={preview ?? <Times times={[]} zone="UTC" now={0} fault={null} />}
        fresh={status === 200 && schedule === null && !state.typed.has('name')}
      />
    </>,
    status,
  );

async function add(deps: ScheduleDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, form } = visit;
  const type = jobTypeOf(form.get('type'));
  if (type === null) throw new InvalidInput([{ path: '/type', message: 'Choose a job type.' }]);
  return submit(
    form,
    async () => {
      // Without a script, the fields may still be those of the type that was chosen before.
      const isOther = form.has('fields_of') && form.get('fields_of') !== type;
      if (isOther || form.has('preview')) return previewPage(deps, visit, { type, schedule: null });
      const asked = await scheduleRequest(deps, visitor.actor, form, type);
      const { id } = await blaming({ name_taken: '/name' }, () =>
        deps.manageSchedules.add(visitor.actor, { ...asked, jobType: type, enabled: true }),
      );
      return done(`${PATH}/${id}`, asked.name);
    },
    (state, error) =>
      formPage(deps, visitor.actor, { state, type, schedule: null, status: statusOf(error.code) }),
  );
}

async function scheduleOf(deps: ScheduleDeps, visit: SignedInVisit): Promise<Schedule> {
  const none = { limit: 1, offset: 0 };
  return (await deps.getSchedule.execute(visit.visitor.actor, scheduleId(visit), none)).schedule;
}

async function editPage(deps: ScheduleDeps, visit: SignedInVisit): Promise<WebReply> {
  const schedule = await scheduleOf(deps, visit);
  const typed = await scheduleFields((id) => deps.getServer.execute(visit.visitor.actor, id), schedule);
  const state = { ...NEW_FORM, typed };
  return formPage(deps, visit.visitor.actor, { state, type: schedule.jobType, schedule, status: 200 });
}

async function edit(deps: ScheduleDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, form } = visit;
  const schedule = await scheduleOf(deps, visit);
  const type = schedule.jobType;
  return submit(
    form,
    async () => {
      if (form.has('preview')) return previewPage(deps, visit, { type, schedule });
      const asked = await scheduleRequest(deps, visitor.actor, form, type);
      await blaming({ name_taken: '/name' }, () =>
        deps.manageSchedules.edit(visitor.actor, schedule.id, scheduleEdit(asked)),
      );
      return done(`${PATH}/${schedule.id}`, asked.name);
    },
    (state, error) => formPage(deps, visitor.actor, { state, type, schedule, status: statusOf(error.code) }),
  );
}

const previewPage = async (
  deps: ScheduleDeps,
  { visitor: { actor }, form, now }: SignedInVisit,
  of: Pick<FormPage, 'type' | 'schedule'>,
): Promise<WebReply> =>
  formPage(deps, actor, {
    ...of,
    state: { ...NEW_FORM, typed: form },
    status: 200,
    preview: await timesOf(deps, actor, form, now),
  });

/** The live preview of a form. */
const times = async (deps: ScheduleDeps, { visitor, query, now }: SignedInVisit): Promise<WebReply> =>
  part(await timesOf(deps, visitor.actor, query, now));

async function timesOf(
  deps: ScheduleDeps,
  actor: Actor,
  form: URLSearchParams,
  now: Instant,
): Promise<VNode> {
  const isEmpty = !form.has('every') && (form.get('cron') ?? '').trim() === '';
  if (isEmpty) return <Times times={[]} zone="UTC" now={now} fault={null} />;
  try {
    const rule = cronOf(form);
    const found = deps.previewTimes.execute(actor, rule);
    const sentence = await scheduleSentence(deps.listServers, actor, form, rule);
    return <Times times={found} zone={rule.timeZone} now={now} fault={null} sentence={sentence} />;
  } catch (error) {
    if (!isDomainError(error, 'invalid_input')) throw error;
    const fault = error.problems.map(({ message }) => message).join(' ');
    return <Times times={[]} zone="UTC" now={now} fault={fault} />;
  }
}
