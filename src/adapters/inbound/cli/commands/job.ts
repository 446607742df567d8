import { type Command, Option } from 'commander';
import { CancelJob } from '../../../../application/jobs/cancel-job.ts';
import { GetJob, type JobReading } from '../../../../application/jobs/get-job.ts';
import { ListJobs } from '../../../../application/jobs/list-jobs.ts';
import { ReadJobLog } from '../../../../application/jobs/read-job-log.ts';
import type { Instant } from '../../../../domain/base/instant.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { ago, duration, elapsed } from '../../../../domain/base/spans.ts';
import { isTerminal, JOB_STATUSES, type Job, type JobStatus } from '../../../../domain/jobs/job.ts';
import { timeLeft } from '../../../../domain/jobs/job-pace.ts';
import { JOB_TYPES, type JobType, jobTitle } from '../../../../domain/jobs/job-types.ts';
import { jobDetailView, jobView } from '../../api/views/job-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { id, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { paramsText } from '../batch-text.ts';
import { findServer } from '../find-server.ts';
import { localTime, type Text } from '../local-time.ts';
import { downgradeText, packagesText } from '../packages-text.ts';
import { paceText, phasesText } from '../phase-text.ts';
import { planText } from '../plan-text.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { progressText } from '../status-line.ts';
import { type Cell, properties, table } from '../table.ts';
import { pageText, typeText } from '../words.ts';
import { addJobDowngradeCommand } from './job-downgrade.ts';
import { ending, type FollowOptions, withFollow } from './job-follow.ts';
import { addJobStartCommand } from './job-start.ts';

interface ListOptions extends PageOptions {
  readonly server?: string;
  readonly status?: JobStatus;
  readonly type?: JobType;
  readonly active?: true;
}

export function addJobCommands(program: Command, runner: Runner): void {
  const job = program.command('job').description('start, follow and cancel jobs on servers');
  addJobStartCommand(job, runner);
  addJobDowngradeCommand(job, runner);
  withExamples(
    withPage(
      job
        .command('list')
        .description('list jobs, newest first')
        .option('--server <server>', 'only jobs of this server, by id or name')
        .addOption(new Option('--status <status>', 'in this state only').choices(JOB_STATUSES))
        .addOption(new Option('--type <type>', 'only jobs of this type').choices(JOB_TYPES))
        .option('--active', 'only pending and running jobs'),
      50,
    ).action(runner.read(list)),
    'drover job list --active',
    'drover job list --server web --status failed --limit 5',
  );
  withExamples(
    withFollow(
      job
        .command('show')
        .description('show a job with its result and the end of its log')
        .argument('<id>', 'id of the job', id),
    ).action(runner.run(show)),
    'drover job show 17 --follow',
  );
  addJobLogsCommand(job, runner);
  job
    .command('cancel')
    .description('cancel a pending job, or ask a running one to stop as soon as it is safe')
    .argument('<id>', 'id of the job', id)
    .action(runner.run(cancel));
}

async function show(session: Session, jobId: number, options: FollowOptions): Promise<Reply> {
  if (options.wait || options.follow) return ending(session, jobId, options);
  const reading = await session.useCases.get(GetJob).execute(session.actor, jobId, { detail: true });
  return { json: jobDetailView(reading), text: jobText(reading) };
}

async function list(session: Session, options: ListOptions): Promise<Reply> {
  const { server, status, type, active, limit, offset } = options;
  const serverId = server === undefined ? undefined : (await findServer(session, server)).id;
  const query = { serverId, status, jobType: type, activeOnly: active ?? false, limit, offset };
  const page = await session.useCases.get(ListJobs).execute(session.actor, query);
  const rows = page.items.map((job) => jobRow(job, session.now()));
  return {
    json: { jobs: page.items.map(jobView), ...pageView(page) },
    text: pageText(page, 'No jobs found.\n', table(JOB_HEADING, rows)),
  };
}

async function cancel(session: Session, jobId: number): Promise<Reply> {
  const job = await session.useCases.get(CancelJob).execute(session.actor, jobId);
  return {
    json: jobView(job),
    text:
      job.status === 'cancelled'
        ? `Job ${job.id} is cancelled.\n`
        : `Job ${job.id} is stopping. Follow it with: ${shellCommand`drover job show ${job.id} --wait`}\n`,
  };
}

const JOB_HEADING = ['ID', 'SERVER', 'JOB', 'STATUS', 'REQUESTED', 'TOOK', 'BY', 'RESULT'];

const jobRow = (job: Job, now: Instant): readonly Cell[] => [
  job.id,
  job.serverName,
  jobTitle(job.jobType),
  job.status,
  ago(job.createdAt, now),
  took(job, now),
  job.requestedBy,
  whatOf(job),
];

function jobText({ job, now, usualMs, lines }: JobReading): Text {
  const left = timeLeft(job, now, usualMs);
  const facts = properties([
    ['Job', `${job.id}, ${typeText(job.jobType)} on ${job.serverName}`],
    ['Status', job.status],
    ['Requested by', `${job.requestedBy}, ${localTime(job.createdAt)}`],
    ['Reason', job.reason],
    ['Started', job.startedAt === null ? null : localTime(job.startedAt)],
    ['Ended', job.finishedAt === null ? null : `${localTime(job.finishedAt)} (${took(job, now)})`],
    ['Parameters', paramsText(job.params)],
    [isTerminal(job.status) ? 'Outcome' : 'Now', whatOf(job)],
    ['Step', paceText(job, now) || null],
    ['Time left', left === null ? null : `about ${elapsed(left)}`],
  ]);
  const log = lines === null || lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
  const next = planText(job) || downgradeText(job);
  return [
    `${facts}${packagesText(job)}${phasesText(job, now)}`,
    { verbatim: log },
    next === '' ? '' : `\n${next}`,
  ];
}

function whatOf(job: Job): string | null {
  if (job.error !== null) return `${job.error.detail} [${job.error.code}]`;
  return isTerminal(job.status) ? job.summary : progressText(job.current, job.percent) || null;
}

function took(job: Job, now: Instant): string | null {
  return job.startedAt === null ? null : duration((job.finishedAt ?? now) - job.startedAt);
}

function addJobLogsCommand(job: Command, runner: Runner): void {
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
