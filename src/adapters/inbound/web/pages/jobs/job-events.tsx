import type { FollowJob } from '../../../../../application/jobs/follow-job.ts';
import type { GetJob } from '../../../../../application/jobs/get-job.ts';
import type { ListJobs } from '../../../../../application/jobs/list-jobs.ts';
import type { Clock } from '../../../../../application/ports/base/clock.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { isTerminal, type Job, jobNotFound } from '../../../../../domain/jobs/job.ts';
import { LOG_START, LogLines, parseLogPlace } from '../../../../../domain/jobs/log-lines.ts';
import { idOf } from '../../form-state.ts';
import { renderPart } from '../../render.tsx';
import { type SignedInVisit, stream, type WebReply } from '../../route.ts';
import { MAX_RUNS } from './earlier-runs.tsx';
import { LogRow } from './job-log.tsx';
import { JobActionsPart, JobApplyPart, JobFactsPart, JobOutcomePart, JobStatePart } from './job-page.tsx';
import { NEW_PLAN_FORM } from './plan-actions.tsx';

interface Deps {
  readonly getJob: Pick<GetJob, 'execute'>;
  readonly followJob: Pick<FollowJob, 'execute'>;
  readonly listJobs: Pick<ListJobs, 'execute'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The job as it goes on: lines of its log by their place, and its state whenever that changes. */
export async function events(
  deps: Deps,
  { visitor: { actor }, params, query, lastEventId }: SignedInVisit,
): Promise<WebReply> {
  const id = jobId(params['id']);
  const { job: followed } = await deps.getJob.execute(actor, id);
  const runs = await runsOf(deps, actor, followed);
  const place = parseLogPlace(lastEventId ?? query.get('after') ?? '') ?? LOG_START;
  const mayAct = actor.may('jobs', followed.serverId);
  return stream(async (sink, signal) => {
    const lines = new LogLines(place);
    let sent = '';
    const job = await deps.followJob.execute(
      actor,
      id,
      {
        async onLog(logged) {
          const first = lines.place.lines + 1;
          const added = lines.add(logged);
          if (added.length === 0) return;
          const rows = added.map((line, index) =>
            renderPart(<LogRow line={line} number={first + index} since={sinceOf(followed)} />),
          );
          await sink.send('log', { html: rows.join('') }, `${lines.place.bytes}-${lines.place.lines}`);
        },
        async onState(seen) {
          const said = JSON.stringify([
            seen.status,
            seen.current,
            seen.percent,
            seen.phases,
            seen.cancelRequestedAt,
          ]);
          if (said === sent) return;
          sent = said;
          const now = deps.clock.now();
          const part = { job: seen, now, mayAct, form: NEW_PLAN_FORM };
          const parts = {
            'job-state': <JobStatePart job={seen} />,
            'job-actions': <JobActionsPart {...part} />,
            'job-facts': (
              <JobFactsPart {...part} runs={runs.map((run) => (run.id === id ? seen : run))} line={null} />
            ),
            'job-outcome': <JobOutcomePart {...part} />,
            'job-apply': <JobApplyPart {...part} />,
          };
          const html = Object.entries(parts).map(([name, body]) => [name, renderPart(body)]);
          await sink.send('state', { parts: Object.fromEntries(html) });
        },
      },
      signal,
      place.bytes,
    );
    if (isTerminal(job.status)) await sink.send('over', { why: 'ended' });
  });
}

/** Of its type on its server, newest first, up to this one. */
export async function runsOf(
  { listJobs }: Pick<Deps, 'listJobs'>,
  actor: Actor,
  job: Job,
): Promise<readonly Job[]> {
  const { serverId, jobType, createdAt } = job;
  const filter = { serverId, jobType, before: createdAt + 1 };
  return (await listJobs.execute(actor, { ...filter, limit: MAX_RUNS, offset: 0 })).items;
}

export const sinceOf = ({ startedAt, createdAt }: Job): Instant => startedAt ?? createdAt;

/** Throws `job_not_found` for an invalid id. */
export function jobId(raw: string | undefined): number {
  const id = idOf(raw);
  if (id === null) throw jobNotFound(Number.NaN);
  return id;
}
