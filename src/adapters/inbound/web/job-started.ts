import { type Job, JobAlreadyActive } from '../../../domain/jobs/job.ts';
import { jobOn } from '../../../domain/jobs/job-types.ts';
import { done, type RedirectReply } from './route.ts';

/** `Back up on web-01`: what a toast calls a job. */
export const jobName = ({ jobType, serverName, params }: Job): string =>
  `${jobOn(jobType, serverName)}${params.dryRun ? ' (dry run)' : ''}`;

/** To the job that was started. */
export const toJob = (job: Job): RedirectReply => done(`/jobs/${job.id}`, jobName(job));

/** To the job that is started, or to the active one of the same kind. */
export async function toStarted(start: () => Promise<Job>): Promise<RedirectReply> {
  try {
    return toJob(await start());
  } catch (error) {
    if (!(error instanceof JobAlreadyActive)) throw error;
    return { ...toJob(error.job), toast: `Already active: ${jobName(error.job)}` };
  }
}
