import type { BatchBounds } from '../../../../../domain/automation/batch.ts';
import { Field, type FormState } from '../../components/form.tsx';

const KINDS = [
  ['ids', 'These servers'],
  ['tags', 'Servers with a tag, including later ones'],
  ['all', 'All servers, including later ones'],
] as const;

/** Which servers to select: by name, by tag, or all. */
export function SelectorFields({ state }: { readonly state: FormState }) {
  const chosen = state.typed.get('selector') ?? 'ids';
  // Errors of its fields are shown there.
  const fault = state.problems.find(({ path }) => path === '/selector')?.message ?? null;
  return (
    <fieldset
      class={fault === null ? 'field' : 'field wrong'}
      aria-describedby={fault === null ? undefined : 'selector-fault'}
    >
      <legend>Which servers</legend>
      {KINDS.map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" name="selector" value={value} checked={value === chosen} />
          <span>{label}</span>
        </label>
      ))}
      <div class="if-ids">
        <Field
          state={state}
          name="servers"
          label="Servers"
          path="/selector/ids"
          help="Server names or IDs, separated by commas."
          required={false}
        />
      </div>
      <div class="if-tags">
        <Field
          state={state}
          name="tags"
          label="Tags"
          path="/selector/tags"
          help="Any of these tags, separated by commas."
          required={false}
        />
      </div>
      {fault === null ? null : (
        <p class="fault" id="selector-fault">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

/** How many servers at once, and when to stop. */
export function BoundsFields({ state }: { readonly state: FormState }) {
  return (
    <>
      <Field
        state={state}
        name="max_parallel"
        label="Parallel servers"
        help="Maximum number of servers at a time."
        value="10"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="canary"
        label="Canary servers"
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
