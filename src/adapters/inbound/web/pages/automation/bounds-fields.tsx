import type { BatchBounds } from '../../../../../domain/automation/batch.ts';
import { Field, type FormState } from '../../components/form.tsx';

/** How many servers at once, and when to go no further. */
export function BoundsFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <Field
        state={state}
        name="max_parallel"
        label="At most at once"
        help="Maximum number of servers at a time."
        value="10"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="canary"
        label="Canaries"
        help="Number of servers that go first; the others follow only if all of them succeed. 0: none."
        value="0"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="stop_after_failures"
        label="Stop after failures"
        help="Stop starting jobs after this many failures. Empty: never stop."
        inputmode="numeric"
        required={false}
      />
    </>
  );
}

/** Bounds in a few words. */
export const boundsText = ({ maxParallel, canary, stopAfterFailures }: BatchBounds): string =>
  [
    `${maxParallel} at once`,
    canary > 0 ? `${canary} first` : '',
    stopAfterFailures === null ? '' : `stops after ${stopAfterFailures} failed`,
  ]
    .filter(Boolean)
    .join(', ');
