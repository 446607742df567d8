import { isDomainError } from '../../../domain/base/errors.ts';
import { type Job, JobAlreadyActive } from '../../../domain/jobs/job.ts';
import { type JobType, jobOn } from '../../../domain/jobs/job-types.ts';
import { done, type RedirectReply, redirect } from './route.ts';

/** `Back up on web-01`: what a toast calls a job. */
export const jobName = ({ jobType, serverName, params }: Job): string =>
  `${jobOn(jobType, serverName)}${params.dryRun ? ' (dry run)' : ''}`;

/** To the job that was started. */
export const toJob = (job: Job): RedirectReply => done(`/jobs/${job.id}`, jobName(job));

/** To the job that is started, to the active one of the same kind, or to the page that clears the way for it. */
export async function toStarted(
  start: () => Promise<Job>,
  { serverId, jobType }: { readonly serverId?: number; readonly jobType?: JobType } = {},
): Promise<RedirectReply> {
  try {
    return toJob(await start());
  } catch (error) {
    if (isDomainError(error, 'no_backup_source') && serverId !== undefined)
      return {
        ...redirect(`/servers/${serverId}/sources`),
        toast: 'Add a source first: there is nothing to back up',
      };
    if (isDomainError(error, 'feature_disabled') && serverId !== undefined && jobType !== undefined)
      return {
        ...redirect(`/servers/${serverId}/jobs/new?type=${jobType}`),
        toast: 'Not started: turn on the feature first',
      };
    if (!(error instanceof JobAlreadyActive)) throw error;
    return { ...toJob(error.job), toast: `Already active: ${jobName(error.job)}` };
  }
}
