import { DomainError, type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { MASK } from '../../domain/base/secret-mask.ts';
import {
  isComposeFile,
  isYamlFile,
  type TemplateContent,
  type TemplateFile,
  type TemplateValues,
} from '../../domain/compose/template.ts';
import {
  BadPlaceholder,
  hasPlaceholders,
  lineOf,
  partsOf,
  type TextPart,
  variablesIn,
} from '../../domain/compose/template-variable.ts';
import { UseCase } from '../base/use-case.ts';

export interface RenderedFile extends TemplateFile {
  /** The content with every secret masked. */
  readonly shown: string;
  /** A secret is in it. */
  readonly secret: boolean;
}

/** A stretch of a file that is replaced by something. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly TextPart[];
}

/** No program that reads plain text could take these for more than a part of a word. */
const PLAIN = /^[A-Za-z0-9._~:/@%+=,-]*$/;

/**
 * Fills a template's placeholders. In YAML and JSON a placeholder is part of a value: the whole value is rewritten in
 * double quotes, so nothing in it can end it. In any other file a value has to consist of harmless characters. The
 * files run nothing and include nothing.
 */
export class TemplateRenderer extends UseCase<'yaml'> {
  /** Throws `InvalidInput` with all that can be said without values: unknown variables, unused ones, bad places. */
  check(template: TemplateContent): void {
    const problems: InputProblem[] = [];
    const known = new Set(template.variables.map(({ name }) => name));
    const used = new Set<string>();
    for (const file of template.files) {
      const path = `/files/${file.path}`;
      try {
        for (const { parts, start } of this.#placesIn(file)) {
          for (const name of variablesIn(parts)) {
            used.add(name);
            if (!known.has(name)) {
              const line = lineOf(file.content, start);
              problems.push({ path, message: `Line ${line}: there is no variable named ${name}.` });
            }
          }
        }
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        problems.push(...error.problems);
      }
    }
    for (const [index, { name }] of template.variables.entries()) {
      // A file that Drover cannot parse may be valid for its program.
      if (!used.has(name) && problems.length === 0) {
        problems.push({ path: `/variables/${index}`, message: `No file uses the variable ${name}.` });
      }
    }
    if (problems.length > 0) throw new InvalidInput(problems);
  }

  /** Every file as it will be on the host. Throws `InvalidInput` that names missing or invalid values. */
  render(template: TemplateContent, values: TemplateValues): readonly RenderedFile[] {
    return template.files.map((file) => {
      const places = this.#placesIn(file);
      const content = this.#filled(file, places, (name) => textOf(values, name, file));
      this.#verify(file, places, content, values);
      const secret = places.some(({ parts }) => variablesIn(parts).some((name) => values.secrets.has(name)));
      const masked = (name: string): string => (values.secrets.has(name) ? MASK : textOf(values, name, file));
      return {
        path: file.path,
        content,
        secret,
        shown: secret ? this.#filled(file, places, masked) : content,
      };
    });
  }

  #placesIn({ path, content }: TemplateFile): readonly Place[] {
    const field = `/files/${path}`;
    const parts = (text: string, start: number): readonly TextPart[] => {
      try {
        return partsOf(text);
      } catch (error) {
        if (!(error instanceof BadPlaceholder)) throw error;
        const line = lineOf(content, start) + error.line - 1;
        throw new InvalidInput([{ path: field, message: `Line ${line}: ${error.message}` }]);
      }
    };
    if (!isYamlFile(path)) {
      return hasPlaceholders(content) ? [{ start: 0, end: content.length, parts: parts(content, 0) }] : [];
    }
    const scalars = this.deps.yaml.scalars(content, field).filter(({ text }) => hasPlaceholders(text));
    return scalars.map(({ text, start, end, isKey }) => {
      if (isKey) {
        const message = `Line ${lineOf(content, start)}: a placeholder can be in a value, not in the name of an entry.`;
        throw new InvalidInput([{ path: field, message }]);
      }
      return { start, end, parts: parts(text, start) };
    });
  }

  #filled(file: TemplateFile, places: readonly Place[], text: (name: string) => string): string {
    let content = '';
    let done = 0;
    for (const place of places) {
      const { start, end } = place;
      content += file.content.slice(done, start);
      if (!isYamlFile(file.path)) {
        content += joined(place.parts, text);
      } else {
        content += quoted(joined(place.parts, (name) => compose(file, text(name))));
        // Text over several lines, `|` and `>`, takes the end of its last line with it.
        if (file.content.slice(start, end).endsWith('\n')) content += '\n';
      }
      done = end;
    }
    return content + file.content.slice(done);
  }

  /** Checks, rather than assumes, that the file has the same values as the template, apart from the filled ones. */
  #verify(file: TemplateFile, places: readonly Place[], content: string, values: TemplateValues): void {
    if (!isYamlFile(file.path) || places.length === 0) return;
    const filled = new Map(places.map((place) => [place.start, place.parts]));
    const expected = this.deps.yaml.scalars(file.content, file.path).map(({ text, start, isKey }) => {
      const parts = filled.get(start);
      const value = (name: string): string => compose(file, textOf(values, name, file));
      return { isKey, text: parts === undefined ? text : joined(parts, value) };
    });
    const found = this.deps.yaml.scalars(content, file.path).map(({ text, isKey }) => ({ isKey, text }));
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    throw new DomainError(
      'internal',
      `${file.path} would differ from its template beyond the values; nothing was rendered.`,
    );
  }
}

/** Escapes what Compose would read as one of its variables. */
const compose = (file: TemplateFile, text: string): string =>
  isComposeFile(file.path) ? text.replaceAll('$', '$$$$') : text;

const joined = (parts: readonly TextPart[], text: (name: string) => string): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : text(part.name))).join('');

function textOf({ texts }: TemplateValues, name: string, { path }: TemplateFile): string {
  const text = texts.get(name);
  if (text === undefined) {
    throw new InvalidInput([
      { path: `/variables/${name}`, message: `The variable ${name} is missing; ${path} needs it.` },
    ]);
  }
  if (isYamlFile(path) || PLAIN.test(text)) return text;
  throw new InvalidInput([
    {
      path: `/variables/${name}`,
      message: `In ${path}, which is neither YAML nor JSON, a value has only letters, digits and ._~:/@%+=,- .`,
    },
  ]);
}

/** Characters that a reader of YAML or JSON could take for the end of a value or line, or reject. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
};

/**
 * A text in double quotes, on one line, with escapes that YAML (https://yaml.org/spec/1.2.2/#57-escaped-characters) and
 * JSON have in common.
 */
const quoted = (text: string): string =>
  `"${text.replace(
    SPECIAL,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}"`;
