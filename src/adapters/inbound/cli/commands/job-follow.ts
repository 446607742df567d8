import type { Command } from 'commander';
import type { Job } from '../../../../domain/jobs/job.ts';
import { jobDetailView } from '../../api/views/job-view.ts';
import { endCode, endText, follow } from '../follow.ts';
import type { Reply, Session } from '../session.ts';

export interface FollowOptions {
  readonly wait?: true;
  readonly follow?: true;
}

export const withFollow = (command: Command): Command =>
  command
    .option('--wait', 'wait until the job has ended')
    .option('--follow', 'wait, and show the log as it grows (with --json on standard error)');

/** Waits for the end of a job, and tells it. */
export async function ending(
  session: Session,
  jobId: number,
  options: FollowOptions,
): Promise<Reply & { job: Job }> {
  await follow(session, jobId, { log: options.follow ?? false });
  const { job, lines } = await session.useCases.getJob.execute(session.actor, jobId, { detail: true });
  return { job, json: jobDetailView(job, lines ?? []), text: endText(job), exitCode: endCode(job) };
}
