import type { Command } from 'commander';
import { ReadJobLog } from '../../../../application/jobs/read-job-log.ts';
import { id, withExamples } from '../arguments.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { ending, type FollowOptions } from './job-follow.ts';

export function addJobLogsCommand(job: Command, runner: Runner): void {
  withExamples(
    job
      .command('logs')
      .alias('log')
      .description('print the whole log of a job')
      .argument('<id>', 'id of the job', id)
      .option('--follow', 'keep printing until the job has ended (with --json on standard error)')
      .action(runner.run(logs)),
    'drover job logs 17',
    'drover job logs 17 --follow',
  );
}

async function logs(session: Session, jobId: number, options: Pick<FollowOptions, 'follow'>): Promise<Reply> {
  if (options.follow) return ending(session, jobId, options);
  let text = '';
  for await (const part of session.useCases.get(ReadJobLog).text(session.actor, jobId)) text += part;
  return { json: { job_id: jobId, lines: text.split('\n').slice(0, -1) }, text: [{ verbatim: text }] };
}
