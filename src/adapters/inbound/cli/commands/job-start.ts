import { Argument, type Command } from 'commander';
import { FollowBatch } from '../../../../application/automation/follow-batch.ts';
import { StartBatch } from '../../../../application/automation/start-batch.ts';
import { TriggerJob } from '../../../../application/jobs/trigger-job.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { type Job } from '../../../../domain/jobs/job.ts';
import { type JobType, PLAIN_JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { batchView } from '../../api/views/batch-view.ts';
import { jobView } from '../../api/views/job-view.ts';
import { id, withExamples } from '../arguments.ts';
import { batchEndCode, batchEndText, countsText } from '../batch-text.ts';
import { UsageError } from '../errors.ts';
import { findServer, selectorWords } from '../find-server.ts';
import {
  type BoundsOptions,
  boundsOf,
  hasSelector,
  type ParamOptions,
  paramsOf,
  type SelectorOptions,
  selectorOf,
  withBounds,
  withParams,
  withSelector,
} from '../job-options.ts';
import { planText } from '../plan-text.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { StatusLine } from '../status-line.ts';
import { type TemplateOptions, templateRequest, withTemplate } from '../template-options.ts';
import { typeText } from '../words.ts';
import { ending, type FollowOptions, withFollow } from './job-follow.ts';

interface StartOptions extends FollowOptions, ParamOptions, SelectorOptions, BoundsOptions, TemplateOptions {
  readonly plan?: number;
  readonly outsideWindow?: true;
  readonly reason?: string;
}

export function addJobStartCommand(job: Command, runner: Runner): void {
  const command = job
    .command('start')
    .description('start a job on one or more servers; with --wait or --follow, exits with 1 when it fails')
    .usage('[options] <server> <type> | <type> (--tag | --server | --all)')
    .argument('<server>', "the server's id or name; omit it with --tag, --server or --all")
    .addArgument(new Argument('[type]', 'job type').choices(PLAIN_JOB_TYPES));
  withExamples(
    withFollow(withBounds(withSelector(withTemplate(withParams(command)))))
      .option('--plan <job>', 'apply exactly the plan of this dry run, or nothing', id)
      .option('--reason <text>', 'your reason, shown in the history; at most 500 characters')
      .option('--outside-window', 'start even if maintenance windows are closed; the audit log records it')
      .action(runner.run(start)),
    'drover job start 1 backup --follow',
    'drover job start web os_update_check --wait --json',
    'drover job start web container_patch --source /srv/stacks/shop --prune --follow',
    'drover job start web template_deploy --template uptime-kuma --source /srv/compose/kuma --dry-run --follow',
    'drover job start os_patch --tag web --canary 2 --parallel 5 --stop-after 1 --wait',
  );
}

async function start(
  session: Session,
  first: string,
  second: JobType | undefined,
  options: StartOptions,
): Promise<Reply> {
  if (hasSelector(options)) return startMany(session, jobTypeOf(first, second), options);
  if (second === undefined) {
    throw new UsageError(
      `specify the job to start on ${first}, or the servers with --tag, --server or --all.`,
    );
  }
  if (Object.keys(boundsOf(options)).length > 0) {
    throw new UsageError('--parallel, --canary and --stop-after need --tag, --server or --all.');
  }
  return startOne(session, first, second, options);
}

function jobTypeOf(first: string, second: JobType | undefined): JobType {
  const type = PLAIN_JOB_TYPES.find((each) => each === first);
  if (second !== undefined)
    throw new UsageError(
      'specify the servers once: as the first argument, or with --tag, --server or --all.',
    );
  if (type === undefined) throw new UsageError(`the job types are ${PLAIN_JOB_TYPES.join(', ')}.`);
  return type;
}

async function startOne(
  session: Session,
  reference: string,
  jobType: JobType,
  options: StartOptions,
): Promise<Reply> {
  const server = await findServer(session, reference);
  const started = await session.useCases.get(TriggerJob).execute(session.actor, {
    serverId: server.id,
    jobType,
    ...paramsOf(options),
    ...(await templateRequest(session, { server, jobType, options })),
    planId: options.plan,
    outsideWindow: options.outsideWindow,
    reason: options.reason,
  });
  const name = `Job ${started.id}, ${typeText(jobType)} on ${server.name},`;
  if (!options.wait && !options.follow) {
    return {
      json: startedView(started, jobView(started)),
      text: `${name} is ${started.status}. Follow it with: ${shellCommand`drover job show ${started.id} --follow`}\n${planText(started)}`,
    };
  }
  if (options.follow) session.note(`${name} is ${started.status}.`);
  const ended = await ending(session, started.id, options);
  return { ...ended, json: startedView(ended.job, ended.json) };
}

async function startMany(session: Session, jobType: JobType, options: StartOptions): Promise<Reply> {
  if (options.plan !== undefined) throw new UsageError('a plan is for one server.');
  if (options.reason !== undefined) throw new UsageError('a reason is for the job of one server.');
  if (options.template !== undefined || options.set !== undefined || options.values !== undefined) {
    throw new UsageError('a template is deployed to one server at a time.');
  }
  const { useCases, actor } = session;
  const started = await useCases.get(StartBatch).execute(actor, {
    selector: await selectorOf(session, options),
    jobType,
    ...paramsOf(options),
    bounds: boundsOf(options),
    outsideWindow: options.outsideWindow,
  });
  const view = (batch: typeof started) => ({
    batch_id: batch.id,
    status: batch.status,
    job_type: batch.jobType,
    batch: batchView(batch),
  });
  if (!options.wait && !options.follow) {
    return {
      json: view(started),
      text: `Batch ${started.id}, ${typeText(jobType)}, started: ${countsText(started)}. Follow it with: ${shellCommand`drover batch show ${started.id}`}\n`,
    };
  }
  const status = new StatusLine(session.io);
  const ended = await useCases
    .get(FollowBatch)
    .execute(
      actor,
      started.id,
      (batch) => status.show(`batch ${batch.id}  ${countsText(batch)}`),
      session.signal,
    )
    .finally(() => status.clear());
  const words = await selectorWords(session, [ended.selector]);
  return { json: view(ended), text: batchEndText(ended, words), exitCode: batchEndCode(ended) };
}

const startedView = (job: Job, view: unknown) => ({
  job_id: job.id,
  status: job.status,
  job_type: job.jobType,
  job: view,
});
