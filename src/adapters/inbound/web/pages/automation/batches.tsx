import type { CancelBatch } from '../../../../../application/automation/cancel-batch.ts';
import type { GetBatch, ListBatches } from '../../../../../application/automation/get-batch.ts';
import type { StartBatch } from '../../../../../application/automation/start-batch.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { requestOf } from '../../../../../application/jobs/job-params.ts';
import {
  BATCH_STATUSES,
  type Batch,
  type BatchMember,
  batchNotFound,
  MEMBER_STATUSES,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import { type DomainError, type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { rawSelector } from '../../../../../domain/fleet/host-selector.ts';
import {
  isFinal,
  type JobType,
  jobTitle,
  REPEATABLE_JOB_TYPES,
  takesPlan,
} from '../../../../../domain/jobs/job-types.ts';
import { statusOf } from '../../../api/error-table.ts';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { idOf, noting, submit } from '../../form-state.ts';
import { jobTypeOf, requestedParams } from '../../job-request.ts';
import { page, part, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { boundsOf } from '../../schedule-request.ts';
import { selectionFields, selectorOf } from '../../server-names.ts';
import { JobFields } from '../jobs/job-fields.tsx';
import { wordsOf } from '../jobs/job-words.ts';
import { TypeForm } from '../jobs/type-form.tsx';
import { BatchRows } from './batch-rows.tsx';
import { BatchView } from './batch-view.tsx';
import { BoundsFields, SelectorFields } from './selector-fields.tsx';

export interface BatchDeps {
  readonly startBatch: Pick<StartBatch, 'execute'>;
  readonly getBatch: Pick<GetBatch, 'execute'>;
  readonly listBatches: Pick<ListBatches, 'execute'>;
  readonly cancelBatch: Pick<CancelBatch, 'execute'>;
  readonly listServers: Pick<ListServers, 'execute'>;
  readonly getServer: Pick<GetServer, 'execute'>;
}

const PATH = '/batches';
const ROWS = 30;
const MEMBERS = 100;
/** One job on each of many servers. */
export function batchRoutes(deps: BatchDeps): readonly WebRoute[] {
  return [
    ...listRoutes(PATH, 'viewer', (visit) => listPage(deps, visit)),
    { method: 'GET', path: `${PATH}/new`, needs: 'operator', handle: (visit) => newPage(deps, visit) },
    { method: 'POST', path: `${PATH}/new`, needs: 'operator', handle: (visit) => start(deps, visit) },
    { method: 'GET', path: `${PATH}/:id`, needs: 'viewer', handle: (visit) => batchPage(deps, visit) },
    {
      method: 'GET',
      path: '/live/batches/:id',
      needs: 'viewer',
      byItself: true,
      handle: async (visit) => part(<BatchView {...(await seen(deps, visit))} />),
    },
    {
      method: 'POST',
      path: `${PATH}/:id/cancel`,
      needs: 'operator',
      handle: async (visit) => {
        const { id } = await deps.cancelBatch.execute(visit.visitor.actor, batchId(visit));
        return redirect(`${PATH}/${id}`);
      },
    },
    { method: 'POST', path: `${PATH}/:id/apply`, needs: 'operator', handle: (visit) => apply(deps, visit) },
  ];
}

/** Throws `batch_not_found` for an invalid id. */
function batchId({ params }: SignedInVisit): number {
  const id = idOf(params['id']);
  if (id === null) throw batchNotFound(Number.NaN);
  return id;
}

async function listPage(deps: BatchDeps, { visitor, query, now }: SignedInVisit) {
  const { actor } = visitor;
  const status = BATCH_STATUSES.find((each) => each === query.get('status'));
  const found = await deps.listBatches.execute(actor, {
    ...(status ? { status } : {}),
    limit: ROWS,
    offset: offsetOf(query),
  });
  const head = page(
    'jobs',
    'Batches',
    <>
      {actor.capabilities.has('jobs') ? (
        <p class="actions">
          <a class="button" href={`${PATH}/new`}>
            New batch
          </a>
        </p>
      ) : null}
    </>,
  );
  return {
    ...head,
    list: <BatchRows batches={found.items} now={now} paging={{ found, path: PATH, query }} />,
  };
}

interface BatchPage {
  readonly batch: Batch;
  readonly members: Page<BatchMember>;
  readonly now: number;
  readonly mayAct: boolean;
  readonly query: URLSearchParams;
}

async function seen(deps: BatchDeps, visit: SignedInVisit): Promise<BatchPage> {
  const { visitor, query, now } = visit;
  const memberStatus = MEMBER_STATUSES.find((each) => each === query.get('members'));
  const found = await deps.getBatch.execute(visitor.actor, batchId(visit), {
    ...(memberStatus ? { memberStatus } : {}),
    limit: MEMBERS,
    offset: offsetOf(query),
  });
  return { ...found, now, mayAct: visitor.actor.capabilities.has('jobs'), query };
}

async function batchPage(
  deps: BatchDeps,
  visit: SignedInVisit,
  state: FormState = NEW_FORM,
  error: DomainError | null = null,
): Promise<WebReply> {
  const shown = await seen(deps, visit);
  const { batch } = shown;
  return page(
    'jobs',
    `Batch ${batch.id}: ${jobTitle(batch.jobType)}${batch.params.dryRun ? ' (dry run)' : ''}`,
    <>
      {error === null ? null : (
        <p class="notice bad" role="alert">
          Not started: {error.message}
        </p>
      )}
      <BatchView {...shown} state={state} />
    </>,
    error === null ? 200 : statusOf(error.code),
  );
}

/** A list of servers leads here with what is selected in it. */
async function newPage(deps: BatchDeps, { visitor, query }: SignedInVisit): Promise<WebReply> {
  const type = jobTypeOf(query.get('type'));
  if (type !== null && REPEATABLE_JOB_TYPES.includes(type)) {
    const selected = await selectionFields(deps, visitor.actor, query);
    const typed = selected === null ? query : new URLSearchParams(selected);
    return formPage({ state: { ...NEW_FORM, typed }, type, fresh: true, status: 200 });
  }
  return page(
    'jobs',
    'New batch',
    <>
      <TypeForm path={PATH} label="Job type" types={REPEATABLE_JOB_TYPES} />
    </>,
  );
}

interface FormPage {
  readonly state: FormState;
  readonly type: JobType;
  readonly fresh: boolean;
  readonly status: number;
}

const formPage = ({ state, type, fresh, status }: FormPage): WebReply =>
  page(
    'jobs',
    `New batch: ${jobTitle(type)}`,
    <>
      <FormFault state={state} />
      <p>{wordsOf(type).help}</p>
      <BatchForm {...{ state, type, fresh }} />
    </>,
    status,
  );

/** Jobs that change hosts start with a dry run on all of them. */
async function start(deps: BatchDeps, { visitor, form }: SignedInVisit): Promise<WebReply> {
  const type = jobTypeOf(form.get('type'));
  if (type === null) throw new InvalidInput([{ path: '/type', message: 'Choose a job type.' }]);
  return submit(
    form,
    async () => {
      const problems: InputProblem[] = [];
      const bounds = boundsOf(form, problems);
      const params = await noting(problems, () => requestedParams(form, type));
      const selector = await noting(problems, () => selectorOf(deps.listServers, visitor.actor, form));
      if (params === null || selector === null || problems.length > 0) throw new InvalidInput(problems);
      const batch = await deps.startBatch.execute(visitor.actor, {
        ...params,
        selector,
        jobType: type,
        bounds,
        dryRun: takesPlan(type),
      });
      return redirect(`${PATH}/${batch.id}`);
    },
    (state, error) => formPage({ state, type, fresh: false, status: statusOf(error.code) }),
  );
}

/** After a batch of dry runs: the same on the same servers for real, each held to its dry run unless it is said otherwise. */
async function apply(deps: BatchDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, form } = visit;
  const { batch } = await seen(deps, visit);
  return submit(
    form,
    async () => {
      const { jobType, bounds, selector, params } = batch;
      const servers = String(totalOf(batch.counts));
      if (isFinal(jobType) && form.get('count')?.trim() !== servers) {
        throw new InvalidInput([{ path: '/count', message: `Type ${servers} to confirm all servers.` }]);
      }
      const started = await deps.startBatch.execute(visitor.actor, {
        ...requestOf(params),
        selector: rawSelector(selector),
        jobType,
        bounds,
        dryRun: false,
        ...(form.get('what') === 'beyond' ? {} : { planBatchId: batch.id }),
        ...(form.get('outside_window') === 'yes' ? { outsideWindow: true } : {}),
      });
      return redirect(`${PATH}/${started.id}`);
    },
    (state, error) => batchPage(deps, visit, state, error),
  );
}

interface BatchFormProps {
  readonly state: FormState;
  readonly type: JobType;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
}

function BatchForm({ state, type, fresh }: BatchFormProps) {
  return (
    <form method="post" action="/batches/new" class="column">
      <input type="hidden" name="type" value={type} />
      <SelectorFields state={state} />
      <JobFields {...{ type, state, fresh }} startable={null} />
      <BoundsFields state={state} />
      {takesPlan(type) ? (
        <p class="help">A dry run on all of them comes first. It changes nothing; then you decide.</p>
      ) : null}
      <p class="actions">
        <button type="submit">{takesPlan(type) ? 'Preview (dry run)' : 'Start batch'}</button>
        <a href="/batches">Cancel</a>
      </p>
    </form>
  );
}
