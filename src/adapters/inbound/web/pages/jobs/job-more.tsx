import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { Icon } from '../../components/icon.tsx';
import { repeatsAsDryRun } from './repeat-job.ts';

/** Besides the main action of its page: what else starts from a job. */
export const MoreOfJob = ({ job }: { readonly job: Job }) => (
  <>
    {isTerminal(job.status) && !repeatsAsDryRun(job) ? (
      <form method="post" action={`/jobs/${job.id}/again`}>
        <input type="hidden" name="dry_run" value="yes" />
        <button type="submit">
          <Icon name="list-checks" /> New dry run
        </button>
      </form>
    ) : null}
    <a href={`/servers/${job.serverId}/jobs/new?type=${job.jobType}`}>
      <Icon name="sliders-horizontal" /> Other parameters…
    </a>
    <a href={`/servers/${job.serverId}/jobs`}>
      <Icon name="server" /> Jobs of {job.serverName}
    </a>
  </>
);
