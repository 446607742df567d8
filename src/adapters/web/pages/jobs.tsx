import type { CancelJob } from '../../../application/cancel-job.ts';
import type { GetJob } from '../../../application/get-job.ts';
import type { ListJobs } from '../../../application/list-jobs.ts';
import { isCancellable, isTerminal, JOB_STATUSES, type Job, jobNotFound } from '../../../domain/job.ts';
import { duration } from '../../../domain/spans.ts';
import { page, part, redirect, type SignedInVisit, type WebRoute } from '../route.ts';
import { JobRows } from '../views/job-rows.tsx';
import { offsetOf, Paging } from '../views/paging.tsx';
import { JobState } from '../views/status.tsx';
import { Ago } from '../views/time.tsx';

export interface JobDeps {
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly getJob: Pick<GetJob, 'execute'>;
  readonly cancelJob: Pick<CancelJob, 'execute'>;
}

const ROWS = 50;
const ACTIVE = 'active';

/** What was done and what is under way. */
export function jobRoutes(deps: JobDeps): readonly WebRoute[] {
  const look = async ({ visitor, params, now }: SignedInVisit) => {
    const { job, lines } = await deps.getJob.execute(visitor.actor, jobId(params['id']), { detail: true });
    const mayCancel = visitor.actor.capabilities.has('jobs') && isCancellable(job);
    return { job, body: <JobPage {...{ job, lines: lines ?? job.logTail, now, mayCancel }} /> };
  };
  return [
    { method: 'GET', path: '/jobs', needs: 'viewer', handle: (visit) => listPage(deps, visit) },
    {
      method: 'GET',
      path: '/jobs/:id',
      needs: 'viewer',
      handle: async (visit) => {
        const { job, body } = await look(visit);
        return page('jobs', `${job.jobType} on ${job.serverName}`, body);
      },
    },
    {
      method: 'GET',
      path: '/live/jobs/:id',
      needs: 'viewer',
      handle: async (visit) => part((await look(visit)).body),
    },
    {
      method: 'POST',
      path: '/jobs/:id/cancel',
      needs: 'operator',
      handle: async ({ visitor, params }) => {
        const job = await deps.cancelJob.execute(visitor.actor, jobId(params['id']));
        return redirect(`/jobs/${job.id}`);
      },
    },
  ];
}

async function listPage(deps: JobDeps, { visitor, query, now }: SignedInVisit) {
  const status = JOB_STATUSES.find((each) => each === query.get('status'));
  const server = query.get('server') ?? '';
  const found = await deps.listJobs.execute(visitor.actor, {
    ...(status ? { status } : {}),
    ...(query.get('status') === ACTIVE ? { activeOnly: true } : {}),
    ...(/^[1-9]\d{0,14}$/.test(server) ? { serverId: Number(server) } : {}),
    limit: ROWS,
    offset: offsetOf(query),
  });
  return page(
    'jobs',
    'Jobs',
    <>
      <form method="get" action="/jobs" class="filter">
        <label for="status">Show</label>
        <select id="status" name="status">
          {['', ACTIVE, ...JOB_STATUSES].map((each) => (
            <option key={each} value={each} selected={each === (query.get('status') ?? '')}>
              {each === '' ? 'all jobs' : each.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
        {server === '' ? null : <input type="hidden" name="server" value={server} />}
        <button type="submit">Show</button>
      </form>
      <JobRows jobs={found.items} now={now} />
      <Paging found={found} path="/jobs" query={query} />
    </>,
  );
}

function jobId(raw: string | undefined): number {
  if (raw !== undefined && /^[1-9]\d{0,14}$/.test(raw)) return Number(raw);
  throw jobNotFound(Number.NaN);
}

interface JobPageProps {
  readonly job: Job;
  readonly lines: readonly string[];
  readonly now: number;
  readonly mayCancel: boolean;
}

function JobPage({ job, lines, now, mayCancel }: JobPageProps) {
  const live = isTerminal(job.status)
    ? {}
    : { 'hx-get': `/live/jobs/${job.id}`, 'hx-trigger': 'every 2s', 'hx-swap': 'outerHTML' };
  return (
    <div id="job" {...live}>
      <p>
        <JobState status={job.status} />{' '}
        {job.percent === null || isTerminal(job.status) ? null : `${job.percent} % `}
        <span class="quiet">{job.current}</span>
      </p>
      {job.error ? (
        <p class="notice bad">
          {job.error.detail} <code>{job.error.code}</code>
        </p>
      ) : null}
      {job.summary ? <p>{job.summary}</p> : null}
      <dl class="tiles">
        <div>
          <dt>Server</dt>
          <dd>
            <a href={`/servers/${job.serverId}`}>{job.serverName}</a>
          </dd>
        </div>
        <div>
          <dt>Asked for</dt>
          <dd>
            <Ago at={job.createdAt} now={now} /> by {job.requestedBy}
          </dd>
        </div>
        <div>
          <dt>Took</dt>
          <dd>{job.startedAt === null ? '–' : duration((job.finishedAt ?? now) - job.startedAt)}</dd>
        </div>
      </dl>
      {mayCancel ? (
        <form method="post" action={`/jobs/${job.id}/cancel`}>
          <button type="submit" class="danger">
            Cancel this job
          </button>
        </form>
      ) : null}
      <h2>Log</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre class="log" tabIndex={0} aria-label="Log">
        {lines.length === 0 ? 'Nothing yet.' : lines.join('\n')}
      </pre>
    </div>
  );
}
