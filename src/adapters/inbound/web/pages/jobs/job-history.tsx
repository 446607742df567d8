import { type GetJobDays, MAX_JOB_DAYS } from '../../../../../application/jobs/job-days.ts';
import type { JobCounts, ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import { JOB_ORDERS } from '../../../../../domain/base/list-orders.ts';
import { grouped } from '../../../../../domain/base/spans.ts';
import { JOB_STATUSES } from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Empty } from '../../components/empty.tsx';
import { FilterBar, FilterChoice, FilterField } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { listRoutes } from '../../components/list-page.tsx';
import { offsetOf } from '../../components/paging.tsx';
import { sortingOf } from '../../components/sorting.ts';
import { page, type SignedInVisit, type WebRoute } from '../../route.ts';
import { mayOperate } from '../fleet/remedy.tsx';
import { BULK, type BulkJobDeps, bulkJobRoutes, JobBulkBar } from './bulk-jobs.tsx';
import { filterIn } from './job-neighbours.tsx';
import { JobRows } from './job-rows.tsx';
import { ACTIVE, type JobSearchDeps, jobSearch, OPEN_FAILURES, UNRESOLVED } from './job-search.ts';

export interface JobHistoryDeps extends BulkJobDeps, JobSearchDeps {
  readonly listJobs: Pick<ListJobs, 'counts' | 'execute'>;
  readonly getJobDays: Pick<GetJobDays, 'execute'>;
}

const PATH = '/jobs';
const ROWS = 30;

/** All jobs, with filters that stay in the address. */
export function jobHistoryRoutes(deps: JobHistoryDeps): readonly WebRoute[] {
  const search = jobSearch(deps);
  return [
    ...listRoutes(PATH, 'viewer', async (visit) => {
      const filter = await search(visit.visitor.actor, visit.query);
      return historyPage(deps, visit, filter);
    }),
    ...bulkJobRoutes(deps, search),
  ];
}

const CHIPS = [
  ['', 'All', 'all'],
  [ACTIVE, 'Running', 'active'],
  ['awaiting_approval', 'Waiting', 'awaiting_approval'],
  ['failed', 'Failed', 'failed'],
  [UNRESOLVED, 'Unresolved', 'unresolved'],
  ['success', 'Succeeded', 'success'],
  ['cancelled', 'Cancelled', 'cancelled'],
] as const;

/** Filters beyond the state and the search. */
const MORE = ['server', 'type', 'by', 'origin', 'since', 'until'] as const;

async function historyPage(
  deps: JobHistoryDeps,
  { visitor: { actor }, query, now }: SignedInVisit,
  filter: Awaited<ReturnType<ReturnType<typeof jobSearch>>>,
) {
  const window = { limit: ROWS, offset: offsetOf(query) };
  const usual = { by: 'started', descending: true } as const;
  const sorting = sortingOf({ path: PATH, query, keys: JOB_ORDERS, usual, largestFirst: ['started'] });
  const isUnresolved = query.get('status') === UNRESOLVED;
  const [known, failures, days, counts, found] = await Promise.all([
    deps.listJobs.counts(actor),
    deps.listNotifications.execute(actor, OPEN_FAILURES, { limit: 1, offset: 0 }),
    deps.getJobDays.execute(actor, MAX_JOB_DAYS),
    filter === null ||
    (filter.ids && !isUnresolved) ||
    filter.jobTypes ||
    MORE.some((name) => query.get(name))
      ? null
      : deps.listJobs.counts(actor, { serverId: filter.serverId }),
    filter === null
      ? { items: [], total: 0, ...window }
      : deps.listJobs.execute(actor, { ...filter, ...window, order: sorting.order }),
  ]);
  const mayAct = mayOperate(actor, 'any server');
  const within = filterIn(query);
  const all = { ...known, unresolved: failures.total };
  return {
    ...page('jobs', 'Jobs', <Filter query={query} all={all} counts={counts} />),
    header: {
      sub: summaryOf(all, days.all.at(-1)?.failed ?? 0),
      actions: mayAct ? (
        <a class="button" href="/batches/new">
          <Icon name="play" /> Run a job
        </a>
      ) : null,
    },
    list:
      filter === null ? (
        <Empty icon="search">
          No job, server or kind of job matches{' '}
          <strong>{[query.get('q'), query.get('server')].filter(Boolean).join(', ')}</strong>.{' '}
          <a href={PATH}>Show all jobs</a>
        </Empty>
      ) : (
        <>
          <JobRows
            jobs={found.items}
            now={now}
            actor={actor}
            filtered={within !== ''}
            within={within}
            sorting={sorting}
            paging={{ found, path: PATH, query }}
            select={mayAct ? { form: BULK, label: ({ id }) => `job ${id}` } : undefined}
          />
          {mayAct ? <JobBulkBar total={found.total} query={query} /> : null}
        </>
      ),
  };
}

/** As Overview counts them. */
const summaryOf = ({ active, awaiting_approval: waiting }: JobCounts, failedToday: number): string =>
  [
    `${grouped(active)} running`,
    ...(waiting > 0 ? [`${grouped(waiting)} waiting for approval`] : []),
    `${grouped(failedToday)} failed today`,
  ].join(' · ');

const Filter = ({
  query,
  all,
  counts,
}: {
  readonly query: URLSearchParams;
  /** Whatever the search: the chips of these states stay in place. */
  readonly all: JobCounts & { readonly unresolved: number };
  /** Null: not counted. */
  readonly counts: JobCounts | null;
}) => (
  <FilterBar
    path={PATH}
    query={query}
    keep={['sort']}
    search={{ name: 'q', label: 'Search jobs', placeholder: 'Server, job or number' }}
    chips={{
      name: 'status',
      known: JOB_STATUSES,
      options: CHIPS.filter(
        ([value, , of]) => all[of] > 0 || value === '' || value === query.get('status'),
      ).map(([value, label, of]) => ({
        value,
        label,
        count: of === 'unresolved' ? all[of] : counts?.[of],
        stays: true,
      })),
    }}
    more={{
      names: MORE,
      fields: (
        <>
          <FilterField query={query} name="server" label="Server" />
          <FilterChoice
            query={query}
            name="type"
            label="Job"
            options={JOB_TYPES.map((type) => ({ value: type, label: jobTitle(type) }))}
          />
          <FilterField query={query} name="by" label="Started by" placeholder="user:ann, token:ci" />
          <FilterChoice
            query={query}
            name="origin"
            label="Origin"
            options={[
              { value: 'scheduled', label: 'schedules' },
              { value: 'asked', label: 'users and tokens' },
            ]}
          />
          <FilterField query={query} name="since" label="From" type="date" />
          <FilterField query={query} name="until" label="To" type="date" />
        </>
      ),
    }}
  />
);
