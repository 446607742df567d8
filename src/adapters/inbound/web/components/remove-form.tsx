import { Field, FormFault, type FormState, NEW_FORM } from './form.tsx';

interface RemoveFormProps {
  readonly action: string;
  /** Such as `the schedule nightly`. */
  readonly what: string;
  /** The consequences. */
  readonly effect: string;
  /** Has to be typed, if it cannot be undone. */
  readonly confirm?: string;
  readonly state?: FormState;
}

/** A form to delete or remove: names the object and the consequences before the button. */
export function RemoveForm({ action, what, effect, confirm, state = NEW_FORM }: RemoveFormProps) {
  return (
    <section class="remove">
      <h2>Danger zone</h2>
      <details open={state !== NEW_FORM}>
        <summary>Delete {what}…</summary>
        <form id="delete" method="post" action={action} class="column">
          <FormFault state={state} />
          <p>{effect}</p>
          {confirm === undefined ? null : (
            <Field
              state={state}
              name="confirm"
              label={`Type ${confirm} to confirm`}
              help="This cannot be undone."
            />
          )}
          <button type="submit" class="danger solid" data-needs-name={confirm}>
            Delete {what}
          </button>
        </form>
      </details>
    </section>
  );
}
