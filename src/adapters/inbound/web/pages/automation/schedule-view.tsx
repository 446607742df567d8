import type { ScheduleDetail } from '../../../../../application/automation/list-schedules.ts';
import { cronWords } from '../../../../../domain/automation/cron-choice.ts';
import { ownerLabel } from '../../../../../domain/automation/schedule-owner.ts';
import { type Instant, MINUTE } from '../../../../../domain/base/instant.ts';
import { selectorText } from '../../../../../domain/fleet/host-selector.ts';
import { jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { By } from '../../components/origin.tsx';
import { RemoveForm } from '../../components/remove-form.tsx';
import { Status } from '../../components/status.tsx';
import { At } from '../../components/time.tsx';
import { Fact } from '../fleet/fact.tsx';
import { LatestRuns, Run } from './schedule-table.tsx';
import { boundsText } from './selector-fields.tsx';

interface ScheduleViewProps {
  readonly detail: ScheduleDetail;
  /** Of the servers that it selects. */
  readonly names: ReadonlyMap<number, string>;
  readonly now: Instant;
  readonly mayAct: boolean;
}

/** One schedule: its job, its next times, and recent results. */
export function ScheduleView({ detail, names, now, mayAct }: ScheduleViewProps) {
  const { schedule, nextRuns, runs } = detail;
  const { bounds, params, cron } = schedule;
  return (
    <>
      <dl class="tiles">
        <Fact name="State">
          <Status tone={schedule.enabled ? 'good' : 'off'}>{schedule.enabled ? 'on' : 'disabled'}</Status>
        </Fact>
        <Fact name="What">
          {jobTitle(schedule.jobType)}
          {params.sourceFilter === null ? '' : `: ${params.sourceFilter}`}
          {params.osSteps === null ? '' : `: ${params.osSteps.join(', ')}`}
        </Fact>
        <Fact name="Servers">{selectorText(schedule.selector, names)}</Fact>
        <Fact name="When">{cronWords(cron)}</Fact>
        <Fact name="Limits">
          {boundsText(bounds)}
          {schedule.jitterMs > 0 ? `, spread over ${Math.round(schedule.jitterMs / MINUTE)} min` : ''}
        </Fact>
        <Fact name="Owner">
          <By label={ownerLabel(schedule)} />
        </Fact>
        <Fact name="Created by">
          <By label={schedule.createdBy} />
        </Fact>
        {schedule.requireApproval ? <Fact name="Approval">Its jobs need approval.</Fact> : null}
      </dl>
      {schedule.offReason === null ? null : (
        <p class="notice care">
          Drover disabled it. {schedule.offReason}
          {mayAct
            ? ` If you enable it while that is still true, you become its owner${schedule.requireApproval ? '; its jobs still need approval' : ''}.`
            : ''}
        </p>
      )}
      {mayAct ? <Actions {...{ detail }} /> : null}
      {nextRuns.length === 0 ? null : (
        <>
          <h2>Next runs</h2>
          <ol class="times">
            {nextRuns.map((at) => (
              <li key={at}>
                <At at={at} now={now} zone={cron.timeZone} />
              </li>
            ))}
          </ol>
        </>
      )}
      <h2>Latest runs</h2>
      {runs.items.length === 0 ? (
        <p class="quiet">No runs yet.</p>
      ) : (
        <>
          <LatestRuns runs={runs.items} />
          <ul class="plain">
            {runs.items.map((run) => (
              <li key={run.id}>
                <Run run={run} now={now} />
              </li>
            ))}
          </ul>
        </>
      )}
      {mayAct ? (
        <RemoveForm
          action={`/schedules/${schedule.id}/remove`}
          what={`the schedule ${schedule.name}`}
          effect="It starts no more jobs, and its run history is deleted. Jobs that are already running continue."
        />
      ) : null}
    </>
  );
}

function Actions({ detail: { schedule } }: Pick<ScheduleViewProps, 'detail'>) {
  return (
    <div class="actions">
      <a class="button" href={`/schedules/${schedule.id}/edit`}>
        Edit
      </a>
      <form method="post" action={`/schedules/${schedule.id}/${schedule.enabled ? 'disable' : 'enable'}`}>
        <button type="submit" class="quiet">
          {schedule.enabled ? 'Disable' : 'Enable'}
        </button>
      </form>
      <form method="post" action={`/schedules/${schedule.id}/run`}>
        <button type="submit" class="quiet">
          Run now
        </button>
      </form>
    </div>
  );
}
