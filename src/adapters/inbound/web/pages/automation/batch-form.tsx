import { type JobType, takesPlan } from '../../../../../domain/jobs/job-types.ts';
import type { FormState } from '../../components/form.tsx';
import { JobFields } from '../jobs/job-fields.tsx';
import { BoundsFields } from './bounds-fields.tsx';
import { SelectorFields } from './selector-fields.tsx';

interface BatchFormProps {
  readonly state: FormState;
  readonly type: JobType;
  /** Nothing was typed yet. */
  readonly fresh: boolean;
}

export function BatchForm({ state, type, fresh }: BatchFormProps) {
  return (
    <form method="post" action="/batches/new" class="column">
      <input type="hidden" name="type" value={type} />
      <SelectorFields state={state} />
      <JobFields {...{ type, state, fresh }} startable={null} />
      <BoundsFields state={state} />
      {takesPlan(type) ? (
        <p class="help">First comes a dry run on all of them: it changes nothing. Then you decide.</p>
      ) : null}
      <p class="actions">
        <button type="submit">{takesPlan(type) ? 'Show what it would do' : 'Start the batch'}</button>
        <a href="/batches">Cancel</a>
      </p>
    </form>
  );
}
