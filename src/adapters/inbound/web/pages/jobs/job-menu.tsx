import { isCancellable, isTerminal, type Job } from '../../../../../domain/jobs/job.ts';
import { jobTitle, takes } from '../../../../../domain/jobs/job-types.ts';
import { Icon } from '../../components/icon.tsx';
import { RowMenu } from '../../components/row-actions.tsx';
import { mayBeRepeated, repeatLabel, repeatsAsDryRun } from './repeat-job.ts';

/** What can be done with a job of a list. */
export function JobMenu({ job, mayAct }: { readonly job: Job; readonly mayAct: boolean }) {
  const { id, jobType, startedAt, status } = job;
  const repeats = mayAct && isTerminal(status) && mayBeRepeated(job);
  const cancels = mayAct && isCancellable(job);
  // Its values are asked for again, or its plan has to be applied.
  const goesOn = takes(jobType, 'variables') || repeatsAsDryRun(job);
  return (
    <RowMenu id={`job-${id}`} about={`${jobTitle(jobType)} #${id}`}>
      <a href={`/jobs/${id}`}>
        <Icon name="arrow-right" />
        {status === 'awaiting_approval' && mayAct ? 'Review' : 'Open'}
      </a>
      {startedAt === null ? null : (
        <a href={`/jobs/${id}#tab-log`}>
          <Icon name="scroll-text" />
          Open log
        </a>
      )}
      {repeats || cancels ? <hr /> : null}
      {repeats ? (
        <form method="post" action={`/jobs/${id}/again`}>
          <button type="submit">
            <Icon name="rotate-cw" />
            {repeatLabel(job)}
            {goesOn ? '…' : ''}
          </button>
        </form>
      ) : null}
      {cancels ? (
        <form method="post" action={`/jobs/${id}/cancel`}>
          <button type="submit" class="danger">
            <Icon name="ban" />
            Cancel
          </button>
        </form>
      ) : null}
    </RowMenu>
  );
}
