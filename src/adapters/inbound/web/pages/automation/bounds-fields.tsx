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
        help="So many servers work at the same time."
        value="10"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="canary"
        label="Canaries"
        help="So many servers go first; the rest only once all of them succeeded. 0: none."
        value="0"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="stop_after_failures"
        label="Stop after failures"
        help="Once so many jobs failed no more are started. Empty: it goes on whatever fails."
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
