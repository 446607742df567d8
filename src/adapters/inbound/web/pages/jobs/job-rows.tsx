import type { Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { JobState } from '../../components/status.tsx';
import { Ago } from '../../components/time.tsx';
import { currentOf } from './job-words.ts';

/** Jobs as a table: what, where, how it stands, since when, for whom. */
export function JobRows({
  jobs,
  now,
  filtered = false,
}: {
  readonly jobs: readonly Job[];
  readonly now: number;
  readonly filtered?: boolean;
}) {
  if (jobs.length === 0 && filtered) {
    return (
      <p>
        No job matches. <a href="/jobs">Show all</a>
      </p>
    );
  }
  if (jobs.length === 0)
    return (
      <p class="quiet">
        There are no jobs here yet. A job is started on a server's page, by a schedule, or by an agent.
      </p>
    );
  return (
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Server</th>
            <th scope="col">State</th>
            <th scope="col">Result</th>
            <th scope="col">Asked for</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <td>
                <a href={`/jobs/${job.id}`}>
                  {job.id} {jobTitle(job.jobType)}
                </a>{' '}
                {job.params.dryRun ? <span class="tag">dry run</span> : null}
              </td>
              <td>
                <a href={`/servers/${job.serverId}`}>{job.serverName}</a>
              </td>
              <td>
                <JobState status={job.status} />
              </td>
              <td class="text">{job.error?.detail ?? job.summary ?? currentOf(job) ?? ''}</td>
              <td>
                <Ago at={job.createdAt} now={now} /> <span class="quiet">by {job.requestedBy}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
