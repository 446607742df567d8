import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { clashOf, TemplatePath } from './template-path.ts';
import {
  checkValue,
  describeVariable,
  MAX_VARIABLES,
  type RawVariable,
  type TemplateVariable,
  type VariableValue,
} from './template-variable.ts';

export interface TemplateFile {
  /** As `TemplatePath` writes it. */
  readonly path: string;
  readonly content: string;
}

/** A compose project to be deployed many times, each time with other values. */
export interface Template {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Goes up with every import that changes something. */
  readonly version: number;
  readonly variables: readonly TemplateVariable[];
  /** By path. One of them is the compose file. */
  readonly files: readonly TemplateFile[];
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The content of a template. */
export type TemplateContent = Pick<Template, 'name' | 'description' | 'variables' | 'files'>;

/** A template without the files, for lists. */
export type TemplateSummary = Omit<Template, 'files' | 'variables'> & {
  readonly fileCount: number;
  readonly variableCount: number;
};

export interface RawTemplate {
  readonly name: string;
  readonly description?: string | undefined;
  readonly variables?: readonly RawVariable[] | undefined;
}

/** Every template has it; Docker and podman look for it first. */
export const COMPOSE_FILE = 'compose.yaml';
/** Beside it they would make compose choose, or warn. */
const OTHER_COMPOSE_FILES = ['compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
/** Files in which Compose substitutes its own variables: a `$` in a value has to be doubled there. */
export const isComposeFile = (path: string): boolean => /^(docker-)?compose(\.[^/]+)?\.ya?ml$/.test(path);
/** Whether places in a file are found as YAML's values are; JSON is YAML. */
export const isYamlFile = (path: string): boolean => /\.(ya?ml|json)$/.test(path);

export const TEMPLATE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const MAX_TEMPLATES = 1_000;
export const MAX_FILES = 50;
/** In bytes. */
export const MAX_FILE_BYTES = 256 * 1024;
export const MAX_TEMPLATE_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_LENGTH = 1_000;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/**
 * A template in its stored form; throws `InvalidInput` that names every formal fault. Its rendered content is checked
 * elsewhere.
 */
export function describeTemplate(raw: RawTemplate, files: readonly TemplateFile[]): TemplateContent {
  const problems: InputProblem[] = [];
  const { name, description = '', variables = [] } = raw;
  if (!TEMPLATE_NAME.test(name)) {
    problems.push({
      path: '/name',
      message: 'A template name has up to 63 lower-case letters, digits and -, such as uptime-kuma.',
    });
  }
  if (description.length > MAX_DESCRIPTION_LENGTH || /[\p{Cc}\p{Cs}]/u.test(description)) {
    problems.push({
      path: '/description',
      message: `A description is one line of at most ${MAX_DESCRIPTION_LENGTH} characters.`,
    });
  }
  if (variables.length > MAX_VARIABLES) {
    problems.push({ path: '/variables', message: `A template has at most ${MAX_VARIABLES} variables.` });
  }
  const described = variables
    .slice(0, MAX_VARIABLES)
    .map((each, index) => describeVariable(each, `/variables/${index}`, problems));
  const names = described.map((each) => each.name);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined) {
    problems.push({ path: '/variables', message: `There are two variables named ${twice}.` });
  }
  const kept = describeFiles(files, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  return { name, description, variables: described, files: kept };
}

function describeFiles(files: readonly TemplateFile[], problems: InputProblem[]): readonly TemplateFile[] {
  const fault = (message: string, path = '/files'): void => {
    problems.push({ path, message });
  };
  if (files.length > MAX_FILES) fault(`A template has at most ${MAX_FILES} files.`);
  const paths: TemplatePath[] = [];
  for (const { path, content } of files.slice(0, MAX_FILES)) {
    try {
      paths.push(TemplatePath.parse(path));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push(...error.problems);
      continue;
    }
    if (bytesOf(content) > MAX_FILE_BYTES) fault(`${path} is larger than ${MAX_FILE_BYTES} bytes.`);
    if (/[\p{Cs}\u0000]/u.test(content)) fault(`${path} is not a text file.`);
    if (OTHER_COMPOSE_FILES.includes(path)) fault(`${path}: the compose file is named ${COMPOSE_FILE}.`);
  }
  if (files.reduce((sum, { content }) => sum + bytesOf(content), 0) > MAX_TEMPLATE_BYTES) {
    fault(`The files of a template have at most ${MAX_TEMPLATE_BYTES} bytes in total.`);
  }
  if (!files.some(({ path }) => path === COMPOSE_FILE)) fault(`There is no ${COMPOSE_FILE}.`);
  const clash = clashOf(paths);
  if (clash !== null) fault(clash);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The text for each variable of a template, and which of them are secret. */
export interface TemplateValues {
  readonly texts: ReadonlyMap<string, string>;
  readonly secrets: ReadonlySet<string>;
}

/**
 * The values of one deployment: given ones, else defaults. Throws `InvalidInput` that names every variable that is
 * missing, unknown or of the wrong type; it never repeats a given value.
 */
export function valuesFor(
  template: Pick<Template, 'name' | 'variables'>,
  given: Readonly<Record<string, VariableValue>>,
): TemplateValues {
  const problems: InputProblem[] = [];
  const texts = new Map<string, string>();
  const known = new Map(template.variables.map((variable) => [variable.name, variable]));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) {
      problems.push({
        path: `/variables/${name.slice(0, 64)}`,
        message: `The template ${template.name} has no variable ${JSON.stringify(name.slice(0, 64))}.`,
      });
    }
  }
  for (const variable of template.variables) {
    const path = `/variables/${variable.name}`;
    const value = Object.hasOwn(given, variable.name) ? given[variable.name] : undefined;
    if (value === undefined) {
      if (variable.required && variable.default === null) {
        problems.push({ path, message: `The variable ${variable.name} (${variable.type}) is missing.` });
      }
      texts.set(variable.name, variable.default ?? '');
      continue;
    }
    const checked = checkValue(variable, value);
    if (checked.fault !== null) problems.push({ path, message: checked.fault });
    else texts.set(variable.name, checked.text);
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  const secrets = template.variables.filter(({ type }) => type === 'secret').map(({ name }) => name);
  return { texts, secrets: new Set(secrets) };
}

/** `what`: such as `named "demo"`. */
export const templateNotFound = (what: string): DomainError =>
  new DomainError('template_not_found', `There is no template ${what}.`);

export const noTemplateNamed = (name: string): DomainError =>
  templateNotFound(`named "${name.slice(0, 63)}"`);
