import { Readable } from 'node:stream';
import type { GetBatch } from '../../../../../application/automation/get-batch.ts';
import type { ListSchedules } from '../../../../../application/automation/list-schedules.ts';
import type { RequestDumpRestore } from '../../../../../application/backups/request-dump-restore.ts';
import type { RequestDowngrade } from '../../../../../application/fleet/request-downgrade.ts';
import type { CancelJob } from '../../../../../application/jobs/cancel-job.ts';
import type { FollowJob } from '../../../../../application/jobs/follow-job.ts';
import type { GetJob } from '../../../../../application/jobs/get-job.ts';
import { requestOf } from '../../../../../application/jobs/job-params.ts';
import type { GetApproval } from '../../../../../application/jobs/list-approvals.ts';
import type { ReadJobLog } from '../../../../../application/jobs/read-job-log.ts';
import type { TriggerJob } from '../../../../../application/jobs/trigger-job.ts';
import type { Clock } from '../../../../../application/ports/base/clock.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { originOf } from '../../../../../domain/access/requester.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { isFinal, jobTitle, takes } from '../../../../../domain/jobs/job-types.ts';
import { statusOf } from '../../../api/error-table.ts';
import { TabPanels } from '../../components/tab-panels.tsx';
import { submit } from '../../form-state.ts';
import { jobName, toJob } from '../../job-started.ts';
import { fileReply, page, redirect, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { ApprovalOfJob } from './approval.tsx';
import { EarlierRuns } from './earlier-runs.tsx';
import { events, jobId, runsOf, sinceOf } from './job-events.tsx';
import { firstError, isLogDeleted, JobLog } from './job-log.tsx';
import { MoreOfJob } from './job-more.tsx';
import { jobNeighbours, type NeighbourDeps } from './job-neighbours.tsx';
import {
  JobActionsPart,
  JobApplyPart,
  JobFactsPart,
  JobOutcomePart,
  JobParameters,
  JobStatePart,
  StartedBy,
} from './job-page.tsx';
import { hasWork, NEW_PLAN_FORM, type PlanForm, planExpiry } from './plan-actions.tsx';
import { ReasonGiven } from './reason-given.tsx';
import { mayBeRepeated, repeatJob } from './repeat-job.ts';
import { JobRefusal } from './start-job.tsx';

export interface JobDeps extends NeighbourDeps {
  readonly getJob: Pick<GetJob, 'execute'>;
  readonly listSchedules: Pick<ListSchedules, 'named'>;
  readonly cancelJob: Pick<CancelJob, 'execute'>;
  readonly getBatch: Pick<GetBatch, 'ofJob'>;
  readonly getApproval: Pick<GetApproval, 'ofJob'>;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
  readonly requestDowngrade: Pick<RequestDowngrade, 'execute'>;
  readonly requestDumpRestore: Pick<RequestDumpRestore, 'execute'>;
  readonly followJob: Pick<FollowJob, 'execute'>;
  readonly readJobLog: Pick<ReadJobLog, 'execute' | 'text'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Panels of the page. */
const LOG = 'tab-log';
const CHANGES = 'tab-changes';

/** The part of a log on one page; the rest is linked. */
const SHOWN = { most: 500, mostCharacters: 60_000 };

/** One job: its state, its log, and next steps. */
export function jobRoutes(deps: JobDeps): readonly WebRoute[] {
  return [
    { method: 'GET', path: '/jobs/:id', needs: 'viewer', handle: (visit) => jobPage(deps, visit) },
    {
      method: 'GET',
      path: '/jobs/:id/events',
      needs: 'viewer',
      byItself: true,
      handle: (visit) => events(deps, visit),
    },
    {
      method: 'GET',
      path: '/jobs/:id/log',
      needs: 'viewer',
      handle: async ({ visitor, params }) => {
        const { job } = await deps.getJob.execute(visitor.actor, jobId(params['id']));
        const content = Readable.from(deps.readJobLog.text(visitor.actor, job.id));
        return fileReply({ name: `job-${job.id}.log`, size: null, sha256: null, content });
      },
    },
    {
      method: 'POST',
      path: '/jobs/:id/cancel',
      needs: 'operator',
      handle: async ({ visitor, params }) => {
        return toJob(await deps.cancelJob.execute(visitor.actor, jobId(params['id'])));
      },
    },
    { method: 'POST', path: '/jobs/:id/apply', needs: 'operator', handle: (visit) => apply(deps, visit) },
    {
      method: 'POST',
      path: '/jobs/:id/downgrade',
      needs: 'operator',
      handle: (visit) => downgrade(deps, visit),
    },
    { method: 'POST', path: '/jobs/:id/again', needs: 'operator', handle: (visit) => again(deps, visit) },
  ];
}

const heading = (job: Job): string =>
  `${jobTitle(job.jobType)}: ${job.serverName}${job.params.dryRun ? ' (dry run)' : ''}`;

async function jobPage(
  deps: JobDeps,
  visit: SignedInVisit,
  form: PlanForm = NEW_PLAN_FORM,
  status = 200,
): Promise<WebReply> {
  const { visitor, params, query, now } = visit;
  const { actor } = visitor;
  const { job } = await deps.getJob.execute(actor, jobId(params['id']));
  const from = /^[1-9]\d{0,8}$/.exec(query.get('from') ?? '') ? Number(query.get('from')) : null;
  const stretch = await deps.readJobLog.execute(actor, job.id, { ...SHOWN, from });
  const mayAct = actor.may('jobs', job.serverId);
  const [approval, runs, schedule, batch, neighbours] = await Promise.all([
    deps.getApproval.ofJob(actor, job.id),
    runsOf(deps, actor, job),
    scheduleOf(deps, actor, job),
    deps.getBatch.ofJob(actor, job.id),
    jobNeighbours(deps, visit, job.id),
  ]);
  const live = !isTerminal(job.status);
  const failure = job.error?.detail ?? null;
  const logLines = isLogDeleted(stretch, job.logTail, live) ? job.logTail : stretch.lines;
  const reply = page(
    'jobs',
    heading(job),
    <>
      {form.refusal === null ? null : (
        <JobRefusal error={form.refusal} server={{ id: job.serverId, name: job.serverName }} />
      )}
      <JobFactsPart {...{ job, now, runs }} line={firstError({ ...stretch, lines: logLines }, failure)} />
      <ReasonGiven reason={job.reason} by={job.requestedBy} />
      {approval ? <ApprovalOfJob approval={approval} now={now} /> : null}
      <TabPanels
        label="Job"
        open={job.params.dryRun && !live && from === null ? CHANGES : LOG}
        after={job.params.dryRun ? CHANGES : undefined}
        panels={[
          {
            id: LOG,
            label: 'Log',
            count: stretch.end.lines,
            body: (
              <JobLog
                jobId={job.id}
                since={sinceOf(job)}
                stretch={stretch}
                tail={job.logTail}
                live={live}
                asked={from !== null}
                failure={failure}
              />
            ),
          },
          {
            id: CHANGES,
            label: job.params.dryRun ? 'Planned changes' : 'Changes',
            count: changesOf(job),
            body: <JobOutcomePart {...{ job, now, mayAct }} />,
          },
          { id: 'tab-parameters', label: 'Parameters', body: <JobParameters job={job} /> },
          {
            id: 'tab-runs',
            label: 'Earlier runs',
            count: runs.length,
            body: <EarlierRuns {...{ runs, now, job }} />,
          },
        ]}
      />
      {neighbours}
      <JobApplyPart {...{ job, now, mayAct, form }} />
    </>,
    status,
  );
  const header = {
    heading: jobTitle(job.jobType),
    status: <JobStatePart job={job} />,
    tags: job.params.dryRun ? <span class="tag">dry run</span> : null,
    sub: (
      <>
        #{job.id} on <a href={`/servers/${job.serverId}`}>{job.serverName}</a>
        <StartedBy schedule={schedule} approval={approval} batch={batch} />
      </>
    ),
    actions: <JobActionsPart job={job} mayAct={mayAct} />,
    more: mayAct && mayBeRepeated(job) ? <MoreOfJob job={job} /> : null,
  };
  return { ...reply, header, script: 'job' };
}

/** The schedule that started it, unless it has another name by now. */
async function scheduleOf({ listSchedules }: JobDeps, actor: Actor, { requestedBy }: Job) {
  const { kind, name } = originOf(requestedBy);
  return kind === 'schedule' ? listSchedules.named(actor, name) : null;
}

const changesOf = ({ result }: Job): number | undefined =>
  Array.isArray(result?.['changes']) ? result['changes'].length : undefined;

/** Applies a dry run's plan, and nothing else. */
async function apply(deps: JobDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params, form } = visit;
  const { job } = await deps.getJob.execute(visitor.actor, jobId(params['id']));
  return submit(
    form,
    async () => {
      requireConfirmed(job, form);
      const { serverId, jobType } = job;
      const { dump, snapshotId } = job.params;
      if (dump !== undefined && snapshotId !== undefined) {
        const restore = await deps.requestDumpRestore.execute(visitor.actor, {
          snapshotId,
          ...dump,
          dryRun: false,
          planId: job.id,
          confirmation: form.get('host_name') ?? '',
        });
        return toJob(restore);
      }
      const pinned = planExpiry(job) !== null || !hasWork(job);
      const started = await deps.triggerJob.execute(visitor.actor, {
        ...requestOf(job.params),
        serverId,
        jobType,
        dryRun: false,
        ...(job.params.template === undefined ? {} : { template: job.params.template }),
        ...(pinned ? { planId: job.id } : {}),
        ...(form.get('outside_window') === 'yes' ? { outsideWindow: true } : {}),
      });
      return toJob(started);
    },
    (state, error) => {
      const refusal = state.problems.some(({ path }) => path === NAME_PATH) ? null : error;
      return jobPage(deps, visit, { state, refusal }, statusOf(error.code));
    },
  );
}

const NAME_PATH = '/host_name';

/** Throws `InvalidInput` if the host's name has to be typed and differs. */
function requireConfirmed(job: Job, form: URLSearchParams): void {
  if (!isFinal(job.jobType) || form.get('host_name')?.trim() === job.serverName) return;
  throw new InvalidInput([
    { path: NAME_PATH, message: `Type the server's name, ${job.serverName}, to confirm.` },
  ]);
}

/** The same job again: one that changes the host starts with its dry run. */
async function again(deps: JobDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params } = visit;
  const { job } = await deps.getJob.execute(visitor.actor, jobId(params['id']));
  const { serverId, jobType } = job;
  if (takes(jobType, 'variables')) {
    // Its values are encrypted, and may be secret: they are asked for again.
    const query = new URLSearchParams({ type: jobType, source_filter: job.params.sourceFilter ?? '' });
    if (job.params.template !== undefined) query.set('template', job.params.template);
    return {
      ...redirect(`/servers/${serverId}/jobs/new?${query}`),
      toast: `Enter the values again: ${jobName(job)}`,
    };
  }
  return submit(
    visit.form,
    async () =>
      toJob(await repeatJob(deps.triggerJob, visitor.actor, job, visit.form.get('dry_run') === 'yes')),
    (state, error) => jobPage(deps, visit, { state, refusal: error }, statusOf(error.code)),
  );
}

/** Plans the downgrade of the packages that an update changed. */
async function downgrade(deps: JobDeps, visit: SignedInVisit): Promise<WebReply> {
  const { visitor, params } = visit;
  const updateJobId = jobId(params['id']);
  return submit(
    visit.form,
    async () => toJob(await deps.requestDowngrade.execute(visitor.actor, { updateJobId })),
    (state, error) => jobPage(deps, visit, { state, refusal: error }, statusOf(error.code)),
  );
}
