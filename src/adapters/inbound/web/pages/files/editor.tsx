import { isUtf8 } from 'node:buffer';
import type { ComponentChildren } from 'preact';
import { Field, FormFault, type FormState, NEW_FORM, problemAt } from '../../components/form.tsx';

/** A file's content for editing, and the properties of its format to keep. */
export interface EditableText {
  /** With line ends as forms have them inside: `\n`. */
  readonly text: string;
  /** Whether the file's lines end in `\r\n`. */
  readonly crlf: boolean;
}

/** `null` if it is not text: not UTF-8, or with characters that a form would change. */
export function editableText(bytes: Uint8Array): EditableText | null {
  if (!isUtf8(bytes)) return null;
  const raw = Buffer.from(bytes).toString('utf8');
  const crlf = raw.includes('\r\n');
  const text = crlf ? raw.replaceAll('\r\n', '\n') : raw;
  // NUL is not text, a lone CR would return as another line end, and mixed line ends could not be distinguished
  const isMixed = crlf && /(^|[^\r])\n/.test(raw);
  return isMixed || /[\0\r\ufeff]/.test(text) ? null : { text, crlf };
}

/** A form's text in the file's format: browsers end every line with `\r\n`. */
export function typedText(typed: string, crlf: boolean): string {
  const text = typed.replaceAll('\r\n', '\n');
  return crlf ? text.replaceAll('\n', '\r\n') : text;
}

interface EditorProps {
  readonly action: string;
  readonly state: FormState;
  readonly edited: { readonly text: string; readonly crlf: boolean };
  /** The page to return to. */
  readonly back: string;
  /** What saving would change in the current file, if that differs from the opened one. */
  readonly diff: string | null;
  /** Asks for a name, too. */
  readonly named?: boolean;
  readonly children: ComponentChildren;
}

const MAX_ROWS = 40;

/** A text to be changed. */
export function Editor({ action, state, edited, back, diff, named = false, children }: EditorProps) {
  const fault = problemAt(state, '/text');
  const rows = Math.min(MAX_ROWS, Math.max(12, edited.text.split('\n').length + 1));
  return (
    <form
      method="post"
      action={action}
      class="editor"
      data-editor
      data-unsaved={state === NEW_FORM ? undefined : ''}
    >
      {children}
      <FormFault state={state} />
      {diff === null ? null : <Difference diff={diff} />}
      {named ? <Field state={state} name="name" label="Name" focus /> : null}
      <label for="text">Content</label>
      {/* a parser drops the first line end in a textarea */}
      <div class="text">
        <textarea
          id="text"
          name="text"
          rows={rows}
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          wrap="off"
          aria-keyshortcuts="Control+S"
          aria-describedby="text-fault"
        >
          {`\n${edited.text}`}
        </textarea>
      </div>
      <p class="fault" id="text-fault" role="status">
        {fault}
      </p>
      {edited.crlf ? <p class="help">Windows line endings (CR LF); they are kept.</p> : null}
      <p class="actions">
        <button type="submit" data-save>
          Save
        </button>
        {fault === null ? null : (
          <button type="submit" class="quiet" name="anyway" value="yes">
            Save anyway
          </button>
        )}
        {named ? null : (
          <button type="submit" class="quiet" name="preview" value="yes">
            Preview changes
          </button>
        )}
        <a href={back}>{named ? 'Cancel' : 'Close'}</a>
        <span class="quiet" role="status" data-unsaved-mark hidden={state === NEW_FORM}>
          Unsaved changes
        </span>
      </p>
    </form>
  );
}

/** Changes as lines: added, removed and around. */
function Difference({ diff }: { readonly diff: string }) {
  if (diff === '') return <p class="notice">No changes.</p>;
  return (
    <>
      <h2>Changes</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre class="log diff" tabIndex={0} aria-label="Changes">
        {diff.split('\n').map((line, index) => {
          const Tag = LINE_TAGS[line.charAt(0)] ?? 'span';
          return <Tag key={index}>{`${line}\n`}</Tag>;
        })}
      </pre>
    </>
  );
}

const LINE_TAGS: Readonly<Record<string, 'ins' | 'del'>> = { '+': 'ins', '-': 'del' };
