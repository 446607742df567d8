import type { Template } from '../../../../../domain/compose/template.ts';
import { Field, FormFault, type FormState, problemAt } from '../../components/form.tsx';
import type { TemplateDraft } from '../../template-request.ts';

interface TemplateFormProps {
  readonly draft: TemplateDraft;
  readonly state: FormState;
  /** Null: a new one. */
  readonly template: Template | null;
}

/** A template to be written, pasted or read from files. */
export function TemplateForm({ draft, state, template }: TemplateFormProps) {
  const fault = problemAt(state, '/files');
  const typed = new URLSearchParams([
    ['manifest', draft.manifest],
    ...draft.files.flatMap(({ path, content }, index): [string, string][] => [
      [`path.${index}`, path],
      [`content.${index}`, content],
    ]),
  ]);
  const shown = { ...state, typed };
  return (
    <form
      method="post"
      action={template === null ? '/templates/new' : `/templates/${template.name}/edit`}
      class="column template"
    >
      <FormFault state={state} />
      <p data-upload hidden>
        <label for="template-files">Read a folder or files</label>
        <input type="file" id="template-files" multiple />
        <input type="hidden" name="upload" value="" />
        <span class="help">
          template.json, compose.yaml and other files. You can check them here before you save.
        </span>
      </p>
      <Field
        state={shown}
        name="manifest"
        type="lines"
        label="template.json"
        help="Its name, description and variables."
      />
      <fieldset class={fault === null ? 'field' : 'field wrong'}>
        <legend>Files</legend>
        <p class="help">
          @{'{name}'} is replaced by a variable's value. compose.yaml is required; files without path and
          content are ignored.
        </p>
        {fault === null ? null : <p class="fault">{fault}</p>}
        {draft.files.map((_, index) => (
          <div key={index} class="file">
            <Field
              state={shown}
              name={`path.${index}`}
              label={`Path of file ${index + 1}`}
              required={false}
            />
            <Field
              state={shown}
              name={`content.${index}`}
              type="lines"
              label={`Content of file ${index + 1}`}
              required={false}
            />
          </div>
        ))}
        <button type="submit" name="more" value="file" class="quiet" formnovalidate>
          Add another file
        </button>
      </fieldset>
      <p class="actions">
        <button type="submit">{template === null ? 'Save template' : 'Save as the next version'}</button>
        <a href={template === null ? '/templates' : `/templates/${template.name}`}>Cancel</a>
      </p>
    </form>
  );
}
