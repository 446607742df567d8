import type { CancelBatch } from '../../../../../application/automation/cancel-batch.ts';
import type { GetBatch } from '../../../../../application/automation/get-batch.ts';
import type { StartBatch } from '../../../../../application/automation/start-batch.ts';
import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import { requestOf } from '../../../../../application/jobs/job-params.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import {
  type Batch,
  batchNotFound,
  isUnfinished,
  MEMBER_STATUSES,
  totalOf,
} from '../../../../../domain/automation/batch.ts';
import { isBy } from '../../../../../domain/automation/schedule-owner.ts';
import { type DomainError, type InputProblem, InvalidInput } from '../../../../../domain/base/errors.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { rawSelector } from '../../../../../domain/fleet/host-selector.ts';
import { isFinal, jobTitle, REPEATABLE_JOB_TYPES, takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { statusOf } from '../../../api/error-table.ts';
import { FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { LocalTimes } from '../../components/time.tsx';
import { idOf, noting, submit } from '../../form-state.ts';
import { jobTypeOf, requestedParams } from '../../job-request.ts';
import { done, page, part, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { boundsOf } from '../../schedule-request.ts';
import { namesIn, selectionFields, selectorOf } from '../../server-names.ts';
import { BatchForm, type BatchFormProps } from './batch-form.tsx';
import { type BatchListDeps, batchList, BATCHES_PATH as PATH } from './batch-list.tsx';
import { BatchView, type BatchViewProps } from './batch-view.tsx';
import { jobChoices } from './selector-fields.tsx';

export interface BatchDeps extends BatchListDeps {
  readonly startBatch: Pick<StartBatch, 'execute'>;
  readonly getBatch: Pick<GetBatch, 'execute' | 'waits'>;
  readonly listJobs: Pick<ListJobs, 'execute' | 'results'>;
  readonly cancelBatch: Pick<CancelBatch, 'execute'>;
  readonly listServers: Pick<ListServers, 'execute' | 'tags' | 'names'>;
  readonly manageSources: Pick<ManageSources, 'names'>;
  readonly getServer: Pick<GetServer, 'execute'>;
}

const MEMBERS = 100;
/** One job on each of many servers. */
export function batchRoutes(deps: BatchDeps): readonly WebRoute[] {
  return [
    ...listRoutes(PATH, 'viewer', (visit) => batchList(deps, visit)),
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
        return toBatch(await deps.cancelBatch.execute(visit.visitor.actor, batchId(visit)));
      },
    },
    { method: 'POST', path: `${PATH}/:id/apply`, needs: 'operator', handle: (visit) => apply(deps, visit) },
  ];
}

const toBatch = ({ id, jobType, params, counts }: Batch): WebReply =>
  done(
    `${PATH}/${id}`,
    `${jobTitle(jobType)}${params.dryRun ? ' (dry run)' : ''}, ${count(totalOf(counts), 'server')}`,
  );

/** Throws `batch_not_found` for an invalid id. */
function batchId({ params }: SignedInVisit): number {
  const id = idOf(params['id']);
  if (id === null) throw batchNotFound(Number.NaN);
  return id;
}

async function seen(deps: BatchDeps, visit: SignedInVisit): Promise<BatchViewProps> {
  const { visitor, query, now } = visit;
  const memberStatus = MEMBER_STATUSES.find((each) => each === query.get('members'));
  const found = await deps.getBatch.execute(visitor.actor, batchId(visit), {
    ...(memberStatus ? { memberStatus } : {}),
    limit: MEMBERS,
    offset: offsetOf(query),
  });
  const names = await namesIn(deps.listServers, visitor.actor, [found.batch.selector]);
  const failed =
    found.batch.counts.failed === 0
      ? []
      : (
          await deps.getBatch.execute(visitor.actor, found.batch.id, {
            memberStatus: 'failed',
            limit: MEMBERS,
            offset: 0,
          })
        ).members.items;
  const waits = await deps.getBatch.waits(found.batch);
  const plans = await plansOf(deps, visit, found);
  const mayAct = visitor.actor.may('jobs', 'any server');
  const sum = mayAct ? await sumOf(deps, visit, found.batch) : null;
  const mayCancel = mayAct && (isBy(visitor.actor, found.batch.requester) || visitor.actor.may('jobs'));
  return { ...found, waits, failed, plans, sum, names, now, mayAct, mayCancel, query };
}

/** What the dry runs would do in all, before the batch is started for real. */
async function sumOf(
  { getBatch, listJobs }: BatchDeps,
  { visitor: { actor } }: SignedInVisit,
  batch: Batch,
): Promise<BatchViewProps['sum']> {
  if (!batch.params.dryRun || isUnfinished(batch.status)) return null;
  const query = { memberStatus: 'success', limit: MEMBERS, offset: 0 } as const;
  const { items } = (await getBatch.execute(actor, batch.id, query)).members;
  const ids = items.flatMap(({ jobId }) => jobId ?? []);
  return { servers: items.length, plans: await listJobs.results(actor, ids) };
}

/** What each dry run on the page found, by its job; nothing as long as some of them run. */
async function plansOf(
  { listJobs }: BatchDeps,
  { visitor }: SignedInVisit,
  { batch, members }: Pick<BatchViewProps, 'batch' | 'members'>,
): Promise<ReadonlyMap<number, string>> {
  if (!batch.params.dryRun || isUnfinished(batch.status)) return new Map();
  const ids = members.items.flatMap(({ jobId }) => jobId ?? []);
  const jobs = await listJobs.execute(visitor.actor, { ids, limit: MEMBERS, offset: 0 });
  return new Map(jobs.items.flatMap(({ id, summary }) => (summary === null ? [] : [[id, summary]])));
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
          Not started: <LocalTimes text={error.message} />
        </p>
      )}
      <BatchView {...shown} state={state} />
    </>,
    error === null ? 200 : statusOf(error.code),
  );
}

/** A list of servers leads here with what is selected in it. */
async function newPage(deps: BatchDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, query } = visit;
  const asked = jobTypeOf(query.get('type'));
  const type = REPEATABLE_JOB_TYPES.find((each) => each === asked) ?? 'backup';
  const selected = await selectionFields(deps, visitor.actor, query);
  const typed = selected === null ? query : new URLSearchParams(selected);
  return formPage(deps, visit, { state: { ...NEW_FORM, typed }, type, fresh: true, status: 200 });
}

interface FormPage extends Omit<BatchFormProps, 'choices'> {
  readonly status: number;
}

async function formPage(
  deps: BatchDeps,
  { visitor }: SignedInVisit,
  { status, ...form }: FormPage,
): Promise<WebReply> {
  const choices = await jobChoices(deps, visitor.actor);
  return page(
    'jobs',
    'New batch',
    <>
      <FormFault state={form.state} />
      <BatchForm {...form} choices={choices} />
    </>,
    status,
  );
}

/** Jobs that change hosts start with a dry run on all of them. */
async function start(deps: BatchDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, form } = visit;
  const type = jobTypeOf(form.get('type'));
  if (type === null) throw new InvalidInput([{ path: '/type', message: 'Choose a job type.' }]);
  // The fields belong to another type: without a script, the form is shown again with those of the new one.
  if (type !== (jobTypeOf(form.get('fields_of')) ?? type)) {
    return formPage(deps, visit, { state: { ...NEW_FORM, typed: form }, type, fresh: true, status: 200 });
  }
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
      return toBatch(batch);
    },
    (state, error) => formPage(deps, visit, { state, type, fresh: false, status: statusOf(error.code) }),
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
      return toBatch(started);
    },
    (state, error) => batchPage(deps, visit, state, error),
  );
}
