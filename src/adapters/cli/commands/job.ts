import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import {
  JOB_STATUSES,
  JOB_TYPES,
  type Job,
  type JobStatus,
  type JobType,
  OS_STEPS,
  type OsStep,
} from '../../../domain/job.ts';
import { jobDetailView, jobView } from '../../catalogue/views/job-view.ts';
import { pageView } from '../../catalogue/views/page-view.ts';
import { id, listed, type PageOptions, SERVER_ARGUMENT, withExamples, withPage } from '../arguments.ts';
import { findServer } from '../find-server.ts';
import { endCode, endText, follow } from '../follow.ts';
import { JOB_HEADING, jobRow, jobText } from '../job-text.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';
import { moreOf } from '../words.ts';

interface FollowOptions {
  readonly wait?: true;
  readonly follow?: true;
}

interface StartOptions extends FollowOptions {
  readonly source?: string;
  readonly service?: string;
  readonly osStep?: readonly OsStep[];
  readonly dryRun?: true;
  readonly plan?: number;
}

interface ListOptions extends PageOptions {
  readonly server?: string;
  readonly status?: JobStatus;
  readonly type?: JobType;
  readonly active?: true;
}

export function addJobCommands(program: Command, runner: Runner): void {
  const job = program.command('job').description('work that the service does on servers');
  withExamples(
    withFollow(
      job
        .command('start')
        .description('start a job; with --wait or --follow, exits with 1 when it fails')
        .argument(...SERVER_ARGUMENT)
        .addArgument(new Argument('<type>', 'what to do').choices(JOB_TYPES))
        .option(
          '--source <name>',
          "one backup source's name, or a compose project's directory (default: all)",
        )
        .option('--service <name>', 'one compose service')
        .addOption(
          new Option('--os-step <list>', `for os_patch: ${OS_STEPS.join(', ')} (default: all)`).argParser(
            osSteps,
          ),
        )
        .option('--dry-run', 'only say what would change')
        .option('--plan <job>', 'for os_patch: do exactly what this dry run said, or nothing', id),
    ).action(runner.run(start)),
    'drover job start 1 backup --follow',
    'drover job start web os_update_check --wait --json',
  );
  withExamples(
    withPage(
      job
        .command('list')
        .description('list jobs, newest first')
        .option('--server <server>', 'of this server only')
        .addOption(new Option('--status <status>', 'in this state only').choices(JOB_STATUSES))
        .addOption(new Option('--type <type>', 'of this type only').choices(JOB_TYPES))
        .option('--active', 'pending and running ones only'),
      50,
    ).action(runner.run(list)),
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
  job
    .command('cancel')
    .description('end a job that waits, or ask a running one to stop as soon as it safely can')
    .argument('<id>', 'id of the job', id)
    .action(runner.run(cancel));
}

const withFollow = (command: Command): Command =>
  command
    .option('--wait', 'wait until the job has ended')
    .option('--follow', 'wait, and show the log as it grows (with --json on standard error)');

async function start(
  session: Session,
  reference: string,
  jobType: JobType,
  options: StartOptions,
): Promise<Reply> {
  const { useCases, actor } = session;
  const server = await findServer(session, reference);
  const { source, service, osStep, dryRun, plan } = options;
  const started = await useCases.triggerJob.execute(actor, {
    serverId: server.id,
    jobType,
    sourceFilter: source,
    service,
    osSteps: osStep,
    dryRun: dryRun ?? false,
    planId: plan,
  });
  const name = `Job ${started.id} (${jobType} on ${server.name})`;
  if (!options.wait && !options.follow) {
    return {
      json: startedView(started, jobView(started)),
      text: `${name} is ${started.status}. Follow it with: drover job show ${started.id} --follow\n`,
    };
  }
  if (options.follow) session.note(`${name} is ${started.status}.`);
  const ended = await ending(session, started.id, options);
  return { ...ended, json: startedView(ended.job, ended.json) };
}

async function show(session: Session, jobId: number, options: FollowOptions): Promise<Reply> {
  if (options.wait || options.follow) return ending(session, jobId, options);
  const { job, lines } = await session.useCases.getJob.execute(session.actor, jobId, { detail: true });
  return { json: jobDetailView(job, lines ?? []), text: jobText(job, lines ?? [], session.now()) };
}

async function ending(
  session: Session,
  jobId: number,
  options: FollowOptions,
): Promise<Reply & { job: Job }> {
  await follow(session, jobId, { log: options.follow ?? false });
  const { job, lines } = await session.useCases.getJob.execute(session.actor, jobId, { detail: true });
  return { job, json: jobDetailView(job, lines ?? []), text: endText(job), exitCode: endCode(job) };
}

async function list(session: Session, options: ListOptions): Promise<Reply> {
  const { server, status, type, active, limit, offset } = options;
  const serverId = server === undefined ? undefined : (await findServer(session, server)).id;
  const query = { serverId, status, jobType: type, activeOnly: active ?? false, limit, offset };
  const page = await session.useCases.listJobs.execute(session.actor, query);
  const rows = page.items.map((job) => jobRow(job, session.now()));
  return {
    json: { jobs: page.items.map(jobView), ...pageView(page) },
    text: rows.length === 0 ? 'No job was found.\n' : table(JOB_HEADING, rows) + moreOf(page),
  };
}

async function cancel(session: Session, jobId: number): Promise<Reply> {
  const job = await session.useCases.cancelJob.execute(session.actor, jobId);
  return {
    json: jobView(job),
    text:
      job.status === 'cancelled'
        ? `Job ${job.id} is cancelled.\n`
        : `Job ${job.id} was asked to stop; see how it ends with: drover job show ${job.id} --wait\n`,
  };
}

const startedView = (job: Job, view: unknown) => ({
  job_id: job.id,
  status: job.status,
  job_type: job.jobType,
  job: view,
});

function osSteps(raw: string, before: readonly OsStep[] | undefined): readonly OsStep[] {
  return listed(raw, before).map((step) => {
    const known = OS_STEPS.find((each) => each === step);
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`The steps are ${OS_STEPS.join(', ')}.`);
  });
}
