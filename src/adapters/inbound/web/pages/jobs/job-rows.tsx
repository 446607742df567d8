import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { DataTable, type TablePaging } from '../../components/data-table.tsx';
import { JobState } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { currentOf } from './job-words.ts';

/** Jobs as a table: type, server, state, time, requester. */
export function JobRows({
  jobs,
  now,
  filtered = false,
  ofServer = false,
  paging,
}: {
  readonly jobs: readonly Job[];
  readonly now: number;
  readonly filtered?: boolean;
  /** The page of one server: it is not named again. */
  readonly ofServer?: boolean;
  readonly paging?: TablePaging;
}) {
  return (
    <DataTable
      rows={jobs}
      keyOf={({ id }) => id}
      paging={paging}
      empty={
        filtered ? (
          <>
            No job matches. <a href="/jobs">Show all</a>
          </>
        ) : (
          'There are no jobs here yet. Start one from a server, a schedule or an agent.'
        )
      }
      columns={[
        {
          head: 'Job',
          cell: ({ id, jobType, params }) => (
            <>
              <a href={`/jobs/${id}`}>
                {id} {jobTitle(jobType)}
              </a>{' '}
              {params.dryRun ? <span class="tag">dry run</span> : null}
            </>
          ),
        },
        !ofServer && {
          head: 'Server',
          cell: (job) => <a href={`/servers/${job.serverId}`}>{job.serverName}</a>,
        },
        { head: 'State', kind: 'state', cell: ({ status }) => <JobState status={status} /> },
        { head: 'Result', kind: 'text', cell: (job) => job.error?.detail ?? job.summary ?? currentOf(job) },
        {
          head: 'Asked for',
          cell: (job) => (
            <>
              <Ago at={job.createdAt} now={now} /> <span class="quiet">by {job.requestedBy}</span>
            </>
          ),
        },
      ]}
    />
  );
}
