import type { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Job } from '../../../../../domain/jobs/job.ts';
import { isFinal, jobOn, jobTitle, takesPlan } from '../../../../../domain/jobs/job-types.ts';
import { Choices, Field, FormFault, type FormState, NEW_FORM } from '../../components/form.tsx';
import { On } from '../../components/time.tsx';
import { wordsOf } from './job-words.ts';

/** The form that applies a plan, after a refusal with its errors. */
export interface PlanForm {
  readonly state: FormState;
  readonly refusal: DomainError | null;
}

export const NEW_PLAN_FORM: PlanForm = { state: NEW_FORM, refusal: null };

/** Whether a dry run found anything to do. */
export const hasWork = ({ result }: Pick<Job, 'result'>): boolean =>
  !Array.isArray(result?.['changes']) || result['changes'].length > 0;

/** The expiry of a dry run's plan; `null` if it is too long to be applied. */
export function planExpiry({ result }: Pick<Job, 'result'>): Instant | null {
  const until = result?.['plan_expires_at'];
  return typeof until === 'string' ? Date.parse(until) : null;
}

/** Why a plan cannot be applied, if that is so. */
export function PlanNotice({ job, now }: { readonly job: Job; readonly now: Instant }) {
  if (!hasWork(job)) return <p class="notice good">Nothing to do.</p>;
  return isOver(job, now) ? <p class="notice">This plan has expired. Start a new dry run.</p> : null;
}

const isOver = (job: Job, now: Instant): boolean => {
  const expiresAt = planExpiry(job);
  return expiresAt !== null && expiresAt <= now;
};

/** After a dry run: the form that applies exactly its plan; null if there is nothing to apply. */
export function PlanActions({
  job,
  now,
  form,
}: {
  readonly job: Job;
  readonly now: Instant;
  readonly form: PlanForm;
}) {
  if (!hasWork(job) || isOver(job, now)) return null;
  const { state, refusal } = form;
  const expiresAt = planExpiry(job);
  const pinned = expiresAt !== null;
  const title = jobTitle(job.jobType);
  const { effect } = wordsOf(job.jobType);
  return (
    <form method="post" action={`/jobs/${job.id}/apply`} class="plan" aria-label={title}>
      {refusal === null ? <FormFault state={state} /> : null}
      <p>
        <strong>{jobOn(job.jobType, job.serverName)}.</strong> {effect}{' '}
        {expiresAt !== null ? (
          <span class="quiet">
            If the server has changed since, nothing is applied. The plan is valid until{' '}
            <On at={expiresAt} otherwise="" />.
          </span>
        ) : takesPlan(job.jobType) ? (
          <span class="quiet">
            The plan is too long to apply exactly: the job makes all changes that are pending when it runs.
          </span>
        ) : null}
      </p>
      {isFinal(job.jobType) ? (
        <Field
          state={state}
          name="host_name"
          label={`Type ${job.serverName} to confirm`}
          help="This cannot be undone."
        />
      ) : null}
      {refusal?.code === 'outside_maintenance_window' ? (
        <Choices
          state={state}
          name="outside_window"
          legend="Maintenance windows"
          type="checkbox"
          chosen={[]}
          choices={[
            {
              value: 'yes',
              label: 'Ignore maintenance windows',
              help: 'The audit log records this.',
            },
          ]}
        />
      ) : null}
      <button
        type="submit"
        class={isFinal(job.jobType) ? 'danger solid' : undefined}
        data-needs-name={isFinal(job.jobType) ? job.serverName : undefined}
      >
        {pinned ? 'Apply this plan' : takesPlan(job.jobType) ? 'Start job' : 'Apply'}
      </button>
    </form>
  );
}
