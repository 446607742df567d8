import { InvalidInput } from '../../../domain/base/errors.ts';
import {
  COMPOSE_FILE,
  MAX_FILES,
  MAX_TEMPLATE_BYTES,
  type RawTemplate,
  type Template,
  type TemplateFile,
} from '../../../domain/compose/template.ts';
import { MAX_VARIABLES, VARIABLE_TYPES } from '../../../domain/compose/template-variable.ts';
import { MANIFEST, manifestOf } from '../api/template-manifest.ts';
import type { FormState } from './components/form.tsx';

/** A template as it is written on a page, whatever is wrong with it. */
export interface TemplateDraft {
  readonly name: string;
  readonly description: string;
  readonly variables: readonly VariableDraft[];
  readonly files: readonly TemplateFile[];
}

/** Everything is text as it was typed. */
export interface VariableDraft {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly default: string;
  /** One in a line. */
  readonly choices: string;
  readonly required: boolean;
}

export const NEW_VARIABLE: VariableDraft = {
  name: '',
  type: 'string',
  description: '',
  default: '',
  choices: '',
  required: false,
};

const STARTER: TemplateDraft = {
  name: 'my-template',
  description: '',
  variables: [
    { ...NEW_VARIABLE, name: 'port', type: 'port', description: 'Port that it listens on', default: '8080' },
  ],
  files: [
    {
      path: COMPOSE_FILE,
      content: 'services:\n  app:\n    image: nginx:stable\n    ports:\n      - "@{port}:80"\n',
    },
  ],
};

export const newDraft = (): TemplateDraft => STARTER;

/** Of a template, or of what its manifest says. */
export const draftOf = (template: Pick<Template, 'files'> & (Template | RawTemplate)): TemplateDraft => ({
  name: template.name,
  description: template.description ?? '',
  variables: (template.variables ?? []).map(({ name, type, description, required, ...each }) => ({
    name,
    type,
    description: description ?? '',
    default: String(each.default ?? ''),
    choices: (each.choices ?? []).join('\n'),
    required: required ?? (each.default ?? null) === null,
  })),
  files: template.files,
});

/**
 * A form's fields: `name`, `description`, `var.N.name`, … of each variable, and `path.N` and `content.N` of each file;
 * empty variables and files are omitted.
 */
export function draftFrom(form: URLSearchParams): TemplateDraft {
  const variables: VariableDraft[] = [];
  for (let index = 0; index <= MAX_VARIABLES && form.has(`var.${index}.name`); index += 1) {
    const text = (field: string): string => (form.get(`var.${index}.${field}`) ?? '').trim();
    const [name, description, value] = [text('name'), text('description'), text('default')];
    if (`${name}${description}${value}` === '') continue;
    const choices = text('choices').replaceAll('\r\n', '\n');
    const required = form.has(`var.${index}.required`);
    variables.push({ name, type: text('type'), description, default: value, choices, required });
  }
  const files: TemplateFile[] = [];
  for (let index = 0; index <= MAX_FILES && form.has(`path.${index}`); index += 1) {
    const path = (form.get(`path.${index}`) ?? '').trim();
    // Browsers send lines with a carriage return.
    const content = (form.get(`content.${index}`) ?? '').replaceAll('\r\n', '\n');
    if (path !== '' || content !== '') files.push({ path, content });
  }
  const [name, description] = [form.get('name') ?? '', form.get('description') ?? ''];
  return { name: name.trim(), description: description.trim(), variables, files };
}

/** With files read in the browser, which replace those with the same path. Throws `InvalidInput`. */
export function withUpload(draft: TemplateDraft, upload: string): TemplateDraft {
  const fault = (message: string): InvalidInput => new InvalidInput([{ path: '/files', message }]);
  if (upload.length > MAX_TEMPLATE_BYTES) throw fault('The files are too large to edit here.');
  let read: unknown;
  try {
    read = JSON.parse(upload);
  } catch {
    throw fault('The files could not be read.');
  }
  if (typeof read !== 'object' || read === null) throw fault('The files could not be read.');
  let about: TemplateDraft = draft;
  const files = new Map(draft.files.map((file) => [file.path, file]));
  for (const [path, content] of Object.entries(read)) {
    if (typeof content !== 'string') throw fault(`${path.slice(0, 200)} is not a text file.`);
    if (path === MANIFEST) about = draftOf({ ...manifestOf(content), files: [] });
    else files.set(path, { path, content });
  }
  return { ...about, files: [...files.values()].slice(0, MAX_FILES + 1) };
}

/** Throws `InvalidInput` for a type that variables do not have; all else is checked as that of a template. */
export function rawOf({ name, description, variables }: TemplateDraft): RawTemplate {
  return {
    name,
    description,
    variables: variables.map((each, index) => {
      const type = VARIABLE_TYPES.find((known) => known === each.type);
      if (type === undefined)
        throw new InvalidInput([{ path: `/variables/${index}/type`, message: 'Choose one of these types.' }]);
      return {
        name: each.name,
        type,
        description: each.description,
        required: each.required,
        ...(each.default === '' ? {} : { default: each.default }),
        choices: each.choices.split('\n').filter((line) => line !== ''),
      };
    }),
  };
}

/** Errors at the page's fields: those of a variable, or the files. */
export const placed = (state: FormState): FormState => ({
  ...state,
  problems: state.problems.map(({ path, message }) => {
    const [, index, field] = /^\/variables\/(\d+)\/(\w+)/.exec(path) ?? [];
    // An optional variable of most types needs a default.
    const at = field === 'required' ? 'default' : field;
    if (at !== undefined) return { path: `/var.${index}.${at}`, message };
    if (/^\/(name|description|variables)$/.test(path)) return { path, message };
    const place = path.replace(/^\/files(?=\/|$)/, '').replace(/^\//, '');
    return { path: '/files', message: place === '' ? message : `${place}: ${message}` };
  }),
});
