import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { JobOrder } from '../../../../../domain/base/list-orders.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type DataTableProps } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { By } from '../../components/origin.tsx';
import type { Sorting } from '../../components/sorting.ts';
import { JobState } from '../../components/status.tsx';
import { Ago, LocalTimes, Took, withTimeTexts } from '../../components/time.tsx';
import { LogTail } from './job-log.tsx';
import { JobMenu } from './job-menu.tsx';
import { resultLine } from './job-words.ts';

interface JobRowsProps extends Pick<DataTableProps<Job>, 'paging' | 'select'> {
  readonly jobs: readonly Job[];
  readonly now: Instant;
  readonly sorting?: Sorting<JobOrder['by']>;
  readonly filtered?: boolean;
  /** The filter of the list, which its jobs lead through. */
  readonly within?: string;
  /** The page of one server: it is not named again. */
  readonly ofServer?: boolean;
  /** Each job has a menu, with what this user may do. */
  readonly actor?: Actor;
}

/** Jobs as a table. */
export function JobRows({
  jobs,
  now,
  filtered = false,
  within = '',
  ofServer = false,
  actor,
  sorting,
  ...table
}: JobRowsProps) {
  return (
    <DataTable
      {...table}
      rows={jobs}
      keyOf={({ id }) => id}
      empty={
        filtered ? (
          <Empty icon="search">No job matches.</Empty>
        ) : (
          <Empty
            icon="list-checks"
            title="No jobs yet"
            action={
              !ofServer && actor?.may('jobs', 'any server') ? (
                <a class="button quiet" href="/batches/new">
                  Run a job
                </a>
              ) : null
            }
          >
            Schedules and agents start jobs, too.
          </Empty>
        )
      }
      columns={[
        {
          head: 'Job',
          cell: ({ id, jobType, params }) => (
            <span class="unbroken">
              <a href={`/jobs/${id}${within}`}>
                {jobTitle(jobType)} <span class="quiet serial">#{id}</span>
              </a>{' '}
              {params.dryRun ? <span class="tag">dry run</span> : null}
            </span>
          ),
        },
        !ofServer && {
          head: 'Server',
          cell: ({ serverId, serverName }) => (
            <a class="unbroken" href={`/servers/${serverId}`}>
              {serverName}
            </a>
          ),
        },
        {
          head: 'State',
          kind: 'state',
          sort: sorting?.sort('state'),
          cell: ({ status }) => <JobState status={status} />,
        },
        { head: 'Result', kind: 'rest', cell: resultOf },
        {
          head: 'Duration',
          kind: 'number',
          phone: 'hide',
          from: 'small',
          cell: ({ startedAt, finishedAt }) =>
            startedAt === null ? null : <Took from={startedAt} until={finishedAt} now={now} />,
        },
        {
          head: 'Started',
          kind: 'time',
          sort: sorting?.sort('started'),
          cell: (job) => <Started job={job} now={now} />,
        },
        { head: 'By', phone: 'hide', from: 'wide', cell: ({ requestedBy }) => <By label={requestedBy} /> },
        actor !== undefined && {
          head: 'Actions',
          kind: 'actions',
          // The row leads to the same actions there, and has little room.
          phone: 'hide',
          cell: (job) => (
            <div class="row">
              <JobMenu job={job} mayAct={actor.may('jobs', job.serverId)} />
            </div>
          ),
        },
      ]}
    />
  );
}

/** A job that waits has no start yet, but a time that it has waited for. */
function Started({
  job: { status, startedAt, createdAt },
  now,
}: {
  readonly job: Job;
  readonly now: Instant;
}) {
  if (startedAt !== null) return <Ago at={startedAt} now={now} />;
  if (isTerminal(status)) return <span class="quiet">never</span>;
  return <span class="quiet">waiting for {duration(now - createdAt)}</span>;
}

/** One line; of a failed job also the last lines of its log. */
function resultOf(job: Job) {
  const line = resultLine(job);
  const whole = job.error?.detail ?? job.summary ?? line;
  if (job.status !== 'failed' || job.logTail.length === 0)
    return (
      <>
        <span title={whole === null ? undefined : withTimeTexts(whole)} data-times>
          <LocalTimes text={line} />
        </span>
        {job.status === 'running' && job.percent ? (
          <progress max={100} value={job.percent} aria-label="Progress" />
        ) : null}
      </>
    );
  return (
    <details class="peek">
      <summary title={whole === null ? undefined : withTimeTexts(whole)} data-times>
        <LocalTimes text={line} />
      </summary>
      <LogTail lines={job.logTail} since={job.startedAt ?? job.createdAt} />
    </details>
  );
}
