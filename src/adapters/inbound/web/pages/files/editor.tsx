import type { ComponentChildren } from 'preact';
import { Field, FormFault, type FormState } from '../../components/form.tsx';

interface EditorProps {
  readonly action: string;
  readonly state: FormState;
  readonly edited: { readonly text: string; readonly crlf: boolean };
  /** Where one came from. */
  readonly back: string;
  /** What saving would change in the file as it is now, where that is not what was opened. */
  readonly diff: string | null;
  /** Asks for a name, too. */
  readonly named?: boolean;
  readonly children: ComponentChildren;
}

const MAX_ROWS = 40;

/** A text to be changed. */
export function Editor({ action, state, edited, back, diff, named = false, children }: EditorProps) {
  const rows = Math.min(MAX_ROWS, Math.max(12, edited.text.split('\n').length + 1));
  return (
    <form method="post" action={action} class="editor">
      {children}
      <FormFault state={state} />
      {diff === null || diff === '' ? null : (
        <>
          <h2>What saving changes now</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
          <pre class="log" tabIndex={0} aria-label="What saving changes now">
            {diff}
          </pre>
        </>
      )}
      {named ? <Field state={state} name="name" label="Name" focus /> : null}
      <label for="text">Content</label>
      {/* a parser drops the first line end of what is in a textarea */}
      <textarea
        id="text"
        name="text"
        rows={rows}
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        wrap="off"
      >
        {`\n${edited.text}`}
      </textarea>
      {edited.crlf ? <p class="help">Its lines end as on Windows (CR LF), and stay so.</p> : null}
      <p class="actions">
        <button type="submit">Save</button>
        <a href={back}>Cancel</a>
      </p>
    </form>
  );
}
