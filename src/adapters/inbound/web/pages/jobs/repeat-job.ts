import { requestOf } from '../../../../../application/jobs/job-params.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { isShownFirst, jobTitle, PLAIN_JOB_TYPES, takes } from '../../../../../domain/jobs/job-types.ts';

/** A restore starts from its snapshot, which shows what it would replace. */
export const mayBeRepeated = ({ jobType }: Pick<Job, 'jobType'>): boolean =>
  PLAIN_JOB_TYPES.includes(jobType);

/** What changes the server starts with its dry run, and a dry run is repeated as one. */
export const repeatsAsDryRun = ({ jobType, params }: Pick<Job, 'jobType' | 'params'>): boolean =>
  params.dryRun || isShownFirst(jobType, params);

/** What starting it again is called. */
export const repeatLabel = (job: Pick<Job, 'jobType' | 'params' | 'status'>): string => {
  if (repeatsAsDryRun(job) && (job.params.dryRun || job.status !== 'failed')) return 'New dry run';
  return job.status === 'success' ? 'Repeat' : 'Retry';
};

/** Starts the job again; what changes the server starts with a dry run, as anything does with `dry`. Throws `InvalidInput`, and what `TriggerJob` throws. */
export function repeatJob(
  triggerJob: Pick<TriggerJob, 'execute'>,
  actor: Actor,
  job: Job,
  dry = false,
): Promise<Job> {
  const { serverId, jobType, params } = job;
  if (!mayBeRepeated(job) || takes(jobType, 'variables')) {
    throw new InvalidInput([
      {
        path: '',
        message: `${jobTitle(jobType)} needs more input: start it on the page of job ${job.id}.`,
      },
    ]);
  }
  const dryRun = dry || repeatsAsDryRun(job);
  return triggerJob.execute(actor, { ...requestOf(params), serverId, jobType, dryRun });
}
