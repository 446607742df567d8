import type { CancelJob } from '../../../../../application/jobs/cancel-job.ts';
import type { GetJob } from '../../../../../application/jobs/get-job.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { BulkBar } from '../../components/bulk-bar.tsx';
import { type BulkOutcome, bulkResultPage, refusalOf } from '../../components/bulk-outcome.tsx';
import { Icon } from '../../components/icon.tsx';
import { idOf } from '../../form-state.ts';
import type { SignedInVisit, WebReply, WebRoute } from '../../route.ts';
import { JOB_FILTERS, type JobSearch } from './job-search.ts';
import { repeatJob } from './repeat-job.ts';

export interface BulkJobDeps {
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly getJob: Pick<GetJob, 'execute'>;
  readonly cancelJob: Pick<CancelJob, 'execute'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
}

const PATH = '/jobs/bulk';
export const BULK = 'bulk-jobs';
const PAGE = 100;
/** As many at once; the next ones after another click. */
const MAX_JOBS = 500;

/** Cancels the selected jobs, or starts them again. */
export const bulkJobRoutes = (deps: BulkJobDeps, search: JobSearch): readonly WebRoute[] => [
  { method: 'POST', path: PATH, needs: 'operator', handle: (visit) => act(deps, search, visit) },
];

export const JobBulkBar = ({ total, query }: { readonly total: number; readonly query: URLSearchParams }) => (
  <BulkBar
    id={BULK}
    method="post"
    action={PATH}
    noun="jobs"
    total={total}
    filter={Object.fromEntries(JOB_FILTERS.map((name) => [name, query.get(name) ?? '']))}
  >
    <button type="submit" name="action" value="retry">
      <Icon name="rotate-cw" />
      Retry
    </button>
    <button type="submit" name="action" value="cancel">
      <Icon name="ban" />
      Cancel
    </button>
  </BulkBar>
);

async function act(deps: BulkJobDeps, search: JobSearch, visit: SignedInVisit): Promise<WebReply> {
  const { form, visitor } = visit;
  const action = form.get('action');
  if (action !== 'cancel' && action !== 'retry') {
    throw new InvalidInput([{ path: '/action', message: 'Choose cancel or retry.' }]);
  }
  const outcomes: BulkOutcome[] = [];
  for (const job of await selectedJobs(deps, search, visit)) {
    try {
      if (action === 'cancel') await deps.cancelJob.execute(visitor.actor, job.id);
      const started = action === 'retry' ? (await repeatJob(deps.triggerJob, visitor.actor, job)).id : null;
      outcomes.push(outcomeOf(job, started, null));
    } catch (error) {
      outcomes.push(outcomeOf(job, null, refusalOf(error, outcomes)));
    }
  }
  return bulkResultPage({
    area: 'jobs',
    verb: action === 'cancel' ? 'Cancelled' : 'Started',
    noun: 'job',
    back: { href: '/jobs', label: 'All jobs' },
    outcomes,
  });
}

const outcomeOf = (job: Job, started: number | null, refusal: string | null): BulkOutcome => ({
  key: job.id,
  name: (
    <a href={`/jobs/${job.id}`}>
      {jobTitle(job.jobType)} <span class="quiet">#{job.id}</span>
    </a>
  ),
  server: <a href={`/servers/${job.serverId}`}>{job.serverName}</a>,
  result: started === null ? null : <a href={`/jobs/${started}`}>job {started}</a>,
  refusal,
});

async function selectedJobs(
  { listJobs, getJob }: BulkJobDeps,
  search: JobSearch,
  { form, visitor: { actor } }: SignedInVisit,
): Promise<readonly Job[]> {
  if (form.get('all') !== 'yes') {
    const ids = form.getAll('ids').flatMap((raw) => idOf(raw) ?? []);
    const jobs: Job[] = [];
    for (const id of ids.slice(0, MAX_JOBS)) jobs.push((await getJob.execute(actor, id)).job);
    return jobs;
  }
  const filter = await search(actor, form);
  if (filter === null) return [];
  const jobs: Job[] = [];
  // All pages are read first: what is cancelled or started changes which jobs match.
  for (let offset = 0; offset < MAX_JOBS; offset += PAGE) {
    const { items } = await listJobs.execute(actor, { ...filter, limit: PAGE, offset });
    jobs.push(...items);
    if (items.length < PAGE) break;
  }
  return jobs;
}
