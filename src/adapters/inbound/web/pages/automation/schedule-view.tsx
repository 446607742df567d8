import type { ScheduleDetail } from '../../../../../application/automation/list-schedules.ts';
import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import type { Schedule } from '../../../../../domain/automation/schedule.ts';
import { ownerLabel } from '../../../../../domain/automation/schedule-owner.ts';
import { type Instant, MINUTE } from '../../../../../domain/base/instant.ts';
import { duration } from '../../../../../domain/base/spans.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { Card } from '../../components/card.tsx';
import type { TablePaging } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { By } from '../../components/origin.tsx';
import type { PageHead } from '../../components/page-header.tsx';
import { Paging } from '../../components/paging.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Status } from '../../components/status.tsx';
import { At } from '../../components/time.tsx';
import { LatestRuns, RunTable } from './schedule-runs.tsx';
import { RunNow } from './schedule-table.tsx';
import { boundsText } from './selector-fields.tsx';

interface ScheduleViewProps {
  readonly detail: ScheduleDetail;
  /** Of the servers that it selects. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly mayAct: boolean;
  readonly paging: Pick<TablePaging, 'path' | 'query'>;
}

const STRIP = 30;

const whatOf = ({ jobType, params }: Schedule): string =>
  [
    jobTitle(jobType),
    params.sourceFilter === null ? '' : `: ${params.sourceFilter}`,
    params.osSteps === null ? '' : `: ${params.osSteps.join(', ')}`,
  ].join('');

/** How a schedule is, in a sentence, and what can be done with it. */
export function scheduleHead({
  detail: { schedule, nextRuns },
  names,
  now,
  mayAct,
}: Omit<ScheduleViewProps, 'paging'>): PageHead {
  const { id, enabled, cron, selector } = schedule;
  const [next] = nextRuns;
  return {
    status: <Status tone={enabled ? 'good' : 'off'}>{enabled ? 'on' : 'disabled'}</Status>,
    sub: [
      whatOf(schedule),
      selectorText(selector, names),
      cronWords(cron),
      next === undefined ? null : `next in ${duration(next - now)}`,
    ]
      .filter((part) => part !== null)
      .join(' · '),
    actions: mayAct ? (
      <>
        <a class="button quiet" href={`/schedules/${id}/edit`}>
          <Icon name="pencil" />
          Edit
        </a>
        <form method="post" action={`/schedules/${id}/${enabled ? 'disable' : 'enable'}`}>
          <button type="submit" class="quiet">
            {enabled ? 'Disable' : 'Enable'}
          </button>
        </form>
        <RunNow id={id} />
      </>
    ) : null,
    more: mayAct ? (
      <a href="#delete">
        <Icon name="trash-2" />
        Delete…
      </a>
    ) : null,
  };
}

/** One schedule: its recent results, its next times, and its terms. */
export function ScheduleView({ detail, names, now, mayAct, paging }: ScheduleViewProps) {
  const { schedule, nextRuns, runs } = detail;
  const { cron, jitterMs } = schedule;
  return (
    <div class="stack">
      {schedule.offReason === null ? null : (
        <p class="notice care">
          Drover disabled it. {schedule.offReason}
          {mayAct
            ? ` If you enable it while that is still true, you become its owner${schedule.requireApproval ? '; its jobs still need approval' : ''}.`
            : ''}
        </p>
      )}
      <div class="main-and-side">
        <div class="stack">
          <Card title="Latest runs" note={runs.total} flush>
            {runs.items.length === 0 || runs.offset > 0 ? null : (
              <div class="run-strip">
                <LatestRuns runs={runs.items} cells={STRIP} />
              </div>
            )}
            <RunTable runs={runs.items} now={now} />
          </Card>
          <Paging found={runs} {...paging} />
        </div>
        <div class="stack">
          {nextRuns.length === 0 ? null : (
            <Card title="Next runs">
              <ol class="times">
                {nextRuns.map((at) => (
                  <li key={at}>
                    <At at={at} now={now} zone={cron.timeZone} />
                  </li>
                ))}
              </ol>
            </Card>
          )}
          <Card title="Details">
            <dl class="facts">
              <dt>What</dt>
              <dd>{whatOf(schedule)}</dd>
              <dt>Servers</dt>
              <dd>{selectorText(schedule.selector, names)}</dd>
              <dt>When</dt>
              <dd>{cronWords(cron)}</dd>
              <dt>Limits</dt>
              <dd>
                {boundsText(schedule.bounds)}
                {jitterMs > 0 ? `, spread over ${Math.round(jitterMs / MINUTE)} min` : ''}
              </dd>
              <dt>Owner</dt>
              <dd>
                <By label={ownerLabel(schedule)} />
              </dd>
              <dt>Created by</dt>
              <dd>
                <By label={schedule.createdBy} />
              </dd>
              {schedule.requireApproval ? (
                <>
                  <dt>Approval</dt>
                  <dd>Its jobs need approval.</dd>
                </>
              ) : null}
            </dl>
          </Card>
        </div>
      </div>
      {mayAct ? (
        <RemoveForm
          action={`/schedules/${schedule.id}/remove`}
          what={`the schedule ${schedule.name}`}
          effect="It starts no more jobs, and its run history is deleted. Jobs that are already running continue."
        />
      ) : null}
    </div>
  );
}
