import { type JobType, takesPlan } from '../../../../../domain/jobs/job-types.ts';
import type { FormState } from '../../components/form.tsx';
import { JobFields } from '../jobs/job-fields.tsx';
import { JobTypeField } from './job-type-field.tsx';
import { BoundsFields, type JobChoices, SelectorFields } from './selector-fields.tsx';

export interface BatchFormProps {
  readonly state: FormState;
  readonly type: JobType;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
  readonly choices: JobChoices;
}

export function BatchForm({ state, type, fresh, choices }: BatchFormProps) {
  return (
    <form method="post" action="/batches/new" class="column">
      <JobTypeField type={type} label="Job" path="/batches/new" />
      <SelectorFields state={state} choices={choices} isOnce />
      <JobFields {...{ type, state, fresh }} startable={null} sourceNames={choices.sourceNames} />
      <details class="more" open={!fresh}>
        <summary>Limits: how many at a time, and when to stop</summary>
        <BoundsFields state={state} />
      </details>
      {takesPlan(type) ? (
        <p class="help">The dry run on all of them changes nothing; you decide afterwards.</p>
      ) : null}
      <p class="actions">
        <button type="submit">{takesPlan(type) ? 'Preview (dry run)' : 'Start batch'}</button>
        <a href="/batches">Cancel</a>
      </p>
    </form>
  );
}
