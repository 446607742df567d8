import { InvalidInput } from '../../../domain/base/errors.ts';
import {
  COMPOSE_FILE,
  MAX_FILES,
  MAX_TEMPLATE_BYTES,
  type RawTemplate,
  type Template,
  type TemplateFile,
} from '../../../domain/compose/template.ts';
import { MANIFEST, manifestOf, manifestText } from '../api/template-manifest.ts';
import type { FormState } from './components/form.tsx';

/** A template as it is written on a page, whatever is wrong with it. */
export interface TemplateDraft {
  /** The text of template.json. */
  readonly manifest: string;
  readonly files: readonly TemplateFile[];
}

const STARTER: TemplateDraft = {
  manifest: manifestText({
    name: 'my-template',
    description: '',
    variables: [
      {
        name: 'port',
        type: 'port',
        description: 'Port that it listens on',
        required: false,
        default: '8080',
        choices: [],
      },
    ],
    files: [],
  }),
  files: [
    {
      path: COMPOSE_FILE,
      content: 'services:\n  app:\n    image: nginx:stable\n    ports:\n      - "@{port}:80"\n',
    },
  ],
};

export const newDraft = (): TemplateDraft => STARTER;

export const draftOf = (template: Template): TemplateDraft => ({
  manifest: manifestText(template),
  files: template.files,
});

/** A form's fields: `manifest`, and `path.N` and `content.N` of each file; empty pairs are omitted. */
export function draftFrom(form: URLSearchParams): TemplateDraft {
  const files: TemplateFile[] = [];
  for (let index = 0; index <= MAX_FILES && form.has(`path.${index}`); index += 1) {
    const path = (form.get(`path.${index}`) ?? '').trim();
    // Browsers send lines with a carriage return.
    const content = (form.get(`content.${index}`) ?? '').replaceAll('\r\n', '\n');
    if (path !== '' || content !== '') files.push({ path, content });
  }
  return { manifest: (form.get('manifest') ?? '').replaceAll('\r\n', '\n'), files };
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
  let { manifest } = draft;
  const files = new Map(draft.files.map((file) => [file.path, file]));
  for (const [path, content] of Object.entries(read)) {
    if (typeof content !== 'string') throw fault(`${path.slice(0, 200)} is not a text file.`);
    if (path === MANIFEST) manifest = content;
    else files.set(path, { path, content });
  }
  return { manifest, files: [...files.values()].slice(0, MAX_FILES + 1) };
}

/** Throws `InvalidInput` for an invalid manifest. */
export const rawOf = ({ manifest }: TemplateDraft): RawTemplate => manifestOf(manifest);

/** Errors at the page's fields: the manifest, or the files. */
export const placed = (state: FormState): FormState => ({
  ...state,
  problems: state.problems.map(({ path, message }) => {
    const inManifest = /^\/(template\.json|name|description|variables)(\/|$)/.test(path);
    const place = path.replace(/^\/(template\.json|files)(?=\/|$)/, '').replace(/^\//, '');
    return {
      path: inManifest ? '/manifest' : '/files',
      message: place === '' ? message : `${place}: ${message}`,
    };
  }),
});
