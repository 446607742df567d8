import type { Template } from '../../../../../domain/compose/template.ts';
import { VARIABLE_TYPES } from '../../../../../domain/compose/template-variable.ts';
import { Field, FormFault, type FormState, problemAt, Select } from '../../components/form.tsx';
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
    ['name', draft.name],
    ['description', draft.description],
    ...draft.variables.flatMap(({ required, ...each }, index): [string, string][] => [
      ...Object.entries(each).map(([field, value]): [string, string] => [`var.${index}.${field}`, value]),
      ...(required ? [[`var.${index}.required`, 'yes'] as [string, string]] : []),
    ]),
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
        name="name"
        label="Name"
        help={template === null ? 'Lower-case letters, digits and -.' : 'Stays as it is.'}
      />
      <Field state={shown} name="description" label="Description" required={false} />
      <Variables count={draft.variables.length} state={shown} />
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

const TYPES = VARIABLE_TYPES.map((value) => ({ value, label: value }));

/** What differs between two deployments. */
function Variables({ count, state }: { readonly count: number; readonly state: FormState }) {
  const fault = problemAt(state, '/variables');
  return (
    <fieldset class={fault === null ? 'field' : 'field wrong'}>
      <legend>Variables</legend>
      <p class="help">
        What differs between deployments, such as a port or a password. Variables without a name are ignored.
      </p>
      {fault === null ? null : <p class="fault">{fault}</p>}
      {Array.from({ length: count }, (_, index) => {
        const field = (name: string) => ({ state, name: `var.${index}.${name}`, required: false });
        return (
          <div key={index} class="file">
            <div class="two">
              <Field {...field('name')} label={`Name of variable ${index + 1}`} />
              <Select {...field('type')} label="Type" options={TYPES} />
              <Field {...field('description')} label="Description" />
              <Field {...field('default')} label="Default" />
              <label class="choice">
                <input
                  type="checkbox"
                  name={`var.${index}.required`}
                  value="yes"
                  checked={state.typed.has(`var.${index}.required`)}
                />
                <span>A value is required</span>
              </label>
              <details open={state.typed.get(`var.${index}.type`) === 'choice'}>
                <summary>Choices</summary>
                <Field
                  {...field('choices')}
                  type="lines"
                  label="Choices"
                  help="For the type choice: one in a line."
                />
              </details>
            </div>
          </div>
        );
      })}
      <button type="submit" name="more" value="variable" class="quiet" formnovalidate>
        Add another variable
      </button>
    </fieldset>
  );
}
