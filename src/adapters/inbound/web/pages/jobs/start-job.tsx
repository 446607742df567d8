import type { GetTemplate, ListTemplates } from '../../../../../application/compose/list-templates.ts';
import type { ListStartableJobs, StartableJobs } from '../../../../../application/jobs/startable-jobs.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { type DomainError, InvalidInput, isDomainError } from '../../../../../domain/base/errors.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import { controlOf, requireControl } from '../../../../../domain/fleet/own-machine.ts';
import { JobAlreadyActive } from '../../../../../domain/jobs/job.ts';
import { type JobType, jobOn, jobTitle, takes, takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { statusOf } from '../../../api/error-table.ts';
import { Card } from '../../components/card.tsx';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { LocalTimes } from '../../components/time.tsx';
import { submit } from '../../form-state.ts';
import { jobTypeOf, requestedParams, variablesOf } from '../../job-request.ts';
import { toJob } from '../../job-started.ts';
import { page, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { TemplateFields } from '../compose/template-fields.tsx';
import { SourceFiles } from '../compose/template-parts.tsx';
import { JobFields } from './job-fields.tsx';
import { JobTypeChoice } from './job-type-choice.tsx';
import { wordsOf } from './job-words.ts';
import { TurnOn } from './turn-on.tsx';

export interface StartJobDeps {
  readonly listStartableJobs: Pick<ListStartableJobs, 'execute'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
  readonly listTemplates: Pick<ListTemplates, 'execute'>;
  readonly getTemplate: Pick<GetTemplate, 'byName'>;
}

const PATH = '/servers/:id/jobs/new';
/** As many templates as a list to choose from can have. */
const MAX_TEMPLATES = 500;

/** Starting a job on a server: type, parameters, and a dry run first for jobs that change the host. */
export const startJobRoutes = (deps: StartJobDeps): readonly WebRoute[] => [
  { method: 'GET', path: PATH, needs: 'operator', handle: (visit) => formPage(deps, visit) },
  { method: 'POST', path: PATH, needs: 'operator', handle: (visit) => start(deps, visit) },
];

async function start(deps: StartJobDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params, form } = visit;
  const id = serverId(params);
  return submit(
    form,
    async () => {
      const jobType = jobTypeOf(form.get('type'));
      if (jobType === null) throw new InvalidInput([{ path: '/type', message: 'Choose a job type.' }]);
      const variables = variablesOf(form);
      const job = await deps.triggerJob.execute(visitor.actor, {
        ...requestedParams(form, jobType),
        serverId: id,
        jobType,
        dryRun: takesPlan(jobType),
        ...(takes(jobType, 'variables') ? { variables } : {}),
      });
      return toJob(job);
    },
    (state, error) => formPage(deps, visit, state, error),
  );
}

async function formPage(
  deps: StartJobDeps,
  visit: SignedInVisit,
  state: FormState = NEW_FORM,
  error: DomainError | null = null,
): Promise<WebReply> {
  const { visitor, params, query, form } = visit;
  const startable = await deps.listStartableJobs.execute(visitor.actor, serverId(params));
  const { server } = startable;
  const asked = form.size > 0 ? form : query;
  const type = jobTypeOf(asked.get('type'));
  // Rather before the form is filled in than after.
  if (type !== null && controlOf(visitor.actor, server.id) === 'unconfirmed')
    requireControl(visitor.actor, server, `job.${type}`);
  const reason = startable.types.find((each) => each.type === type)?.reason ?? null;
  const status = error === null ? 200 : statusOf(error.code);
  if (type !== null && startable.types.some((each) => each.type === type && each.switchedOff)) {
    const off = page('servers', jobOn(type, server.name), <TurnOn server={server} type={type} />, status);
    return { ...off, header: { sub: wordsOf(type).help } };
  }
  const isFault = error instanceof InvalidInput;
  if (type === null || (reason !== null && error === null)) {
    return page(
      'servers',
      `Start a job on ${server.name}`,
      <>
        <FormFault state={state} />
        <JobTypeChoice startable={startable} asked={type} />
      </>,
      status,
    );
  }
  const shown = state === NEW_FORM ? { ...NEW_FORM, typed: query } : state;
  const reply = page(
    'servers',
    jobOn(type, server.name),
    <>
      {error === null || isFault ? null : <JobRefusal error={error} server={server} />}
      {isFault ? <FormFault state={state} /> : null}
      {takes(type, 'variables') ? (
        await templateForm(deps, visitor.actor, { type, startable, state: shown, asked })
      ) : (
        <form method="post" action={`/servers/${server.id}/jobs/new`} class="column">
          <input type="hidden" name="type" value={type} />
          <JobFields {...{ type, state: shown, fresh: state === NEW_FORM, startable }} />
          <Submit type={type} server={server.id} />
        </form>
      )}
    </>,
    status,
  );
  return { ...reply, header: { sub: wordsOf(type).help } };
}

interface TemplateFormProps {
  readonly type: JobType;
  readonly startable: StartableJobs;
  readonly state: FormState;
  readonly asked: URLSearchParams;
}

/** First which template (or which deployment), then its values. */
async function templateForm(
  deps: StartJobDeps,
  actor: Actor,
  { type, startable, state, asked }: TemplateFormProps,
) {
  const { server, deployments } = startable;
  const directory = asked.get('source_filter') ?? '';
  const former = deployments.find((each) => each.directory === directory) ?? null;
  const named = type === 'template_redeploy' ? (former?.templateName ?? '') : (asked.get('template') ?? '');
  const template = named === '' ? null : await templateNamed(deps, actor, named);
  if (template === null) {
    const { items } = await deps.listTemplates.execute(actor, { limit: MAX_TEMPLATES, offset: 0 });
    const choices =
      type === 'template_redeploy'
        ? deployments.map((each) => ({
            value: each.directory,
            label: `${each.directory}: ${each.templateName} (version ${each.templateVersion})`,
          }))
        : items.map(({ name, description }) => ({ value: name, label: `${name}: ${description}` }));
    const name = type === 'template_redeploy' ? 'source_filter' : 'template';
    return (
      <form method="get" action={`/servers/${server.id}/jobs/new`} class="column">
        <input type="hidden" name="type" value={type} />
        <div class="field">
          <label for={name}>{name === 'template' ? 'Template' : 'Deployment'}</label>
          <select id={name} name={name}>
            {choices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <p class="actions">
          <button type="submit">Continue</button>
        </p>
      </form>
    );
  }
  return (
    <div class="form-and-files">
      <form method="post" action={`/servers/${server.id}/jobs/new`} class="column">
        <input type="hidden" name="type" value={type} />
        <TemplateFields {...{ type, template, server, state, former }} />
        <Submit type={type} server={server.id} />
      </form>
      <Card title="Files" note="variables are marked" flush>
        <SourceFiles files={template.files} variables={template.variables} />
      </Card>
    </div>
  );
}

/** Null if there is none: another is selected then. */
async function templateNamed(deps: StartJobDeps, actor: Actor, name: string): Promise<Template | null> {
  try {
    return await deps.getTemplate.byName(actor, name);
  } catch (error) {
    if (isDomainError(error, 'template_not_found')) return null;
    throw error;
  }
}

function Submit({ type, server }: { readonly type: JobType; readonly server: number }) {
  return (
    <>
      {takesPlan(type) ? (
        <p class="help">
          The dry run changes nothing. It shows what the job would do; you decide afterwards.
        </p>
      ) : null}
      <p class="actions">
        <button type="submit">{takesPlan(type) ? 'Preview (dry run)' : 'Start'}</button>
        <a href={`/servers/${server}`}>Cancel</a>
      </p>
    </>
  );
}

interface RefusalProps {
  readonly error: DomainError;
  readonly server: { readonly id: number; readonly name: string };
}

/** Why a job was not started, and the way on: to the job that is in its way, to the switch that is off. */
export function JobRefusal({ error, server }: RefusalProps) {
  return (
    <div class="notice bad" role="alert">
      <Sentence {...{ error, server }} />
    </div>
  );
}

function Sentence({ error, server }: RefusalProps) {
  if (error instanceof JobAlreadyActive) {
    const { job } = error;
    return (
      <>
        Not started: <a href={`/jobs/${job.id}`}>job {job.id}</a> ({jobTitle(job.jobType)}) is already{' '}
        {job.status} on {server.name}. Wait until it finishes, or cancel it on its page.
      </>
    );
  }
  if (error.code === 'feature_disabled') {
    return (
      <>
        Not started: its feature is off.{' '}
        <a href={`/servers/${server.id}/settings#features-form`}>Features of {server.name}</a>
      </>
    );
  }
  if (error.code === 'outside_maintenance_window') {
    return (
      <>
        Not started: <LocalTimes text={error.message} /> <a href="/windows">Maintenance windows</a>
      </>
    );
  }
  return (
    <>
      Not started: <LocalTimes text={error.message} />
    </>
  );
}
