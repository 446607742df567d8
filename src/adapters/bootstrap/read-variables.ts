import { BadValue, wholeNumber, yesOrNo } from './config-values.ts';

/** One setting from the environment: how it is read, and all that the documentation says of it. */
export interface Variable<T> {
  readonly name: string;
  /** The form of a value, for people. */
  readonly type: string;
  /** The default, for people. */
  readonly otherwise: string;
  /** A secret may also come from the file that `<name>_FILE` names, and its value is never shown. */
  readonly secret?: true;
  /** There is no program without it. */
  readonly required?: true;
  readonly description: string;
  /** A value that is taken; for a secret, how to get one. */
  readonly example: string;
  /** Throws `BadValue`. Never sees an empty text. */
  readonly read: (raw: string) => T;
  readonly fallback: T;
}

export const variable = <T>(described: Variable<T>): Variable<T> => described;

interface IntegerVariable {
  readonly name: string;
  /** The least and the largest value that is taken. */
  readonly range: readonly [number, number];
  readonly fallback: number;
  readonly description: string;
  /** The fallback, if not given. */
  readonly example?: string;
}

export const integer = ({ name, range, fallback, ...rest }: IntegerVariable): Variable<number> => ({
  name,
  type: `whole number from ${range[0]} to ${range[1]}`,
  otherwise: String(fallback),
  example: String(fallback),
  read: wholeNumber(...range),
  fallback,
  ...rest,
});

export const port = (described: Omit<IntegerVariable, 'range'>): Variable<number> => ({
  ...integer({ ...described, range: [0, 65_535] }),
  type: 'port number',
});

/** Off unless set. */
export const flag = (name: string, description: string): Variable<boolean> => ({
  name,
  type: '1 or 0',
  otherwise: '0',
  description,
  example: '1',
  read: yesOrNo,
  fallback: false,
});

export type Variables = { readonly [key: string]: Variable<unknown> };

export type ValuesOf<V> = { readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

export type Environment = { readonly [name: string]: string | undefined };

/** Returns a file's text; throws as `fs.readFileSync` does. */
export type ReadFile = (path: string) => string;

export interface ConfigFault {
  readonly name: string;
  /** One sentence that ends with an example. */
  readonly detail: string;
}

/** The configuration is wrong; the message names every fault. */
export class ConfigurationError extends Error {
  readonly faults: readonly ConfigFault[];
  /** How the program ends. */
  readonly exitCode = 2;

  constructor(faults: readonly ConfigFault[]) {
    super(
      ['The configuration is wrong:', ...faults.map(({ name, detail }) => `  ${name}: ${detail}`)].join('\n'),
    );
    this.name = 'ConfigurationError';
    this.faults = faults;
  }
}

/**
 * Reads variables from an environment. An empty one counts as unset. Throws `ConfigurationError` with all faults
 * together; never with a secret's value.
 */
export function readVariables<V extends object>(
  variables: V,
  env: Environment,
  readFile: ReadFile,
): ValuesOf<V> {
  const faults: ConfigFault[] = [];
  const entries = Object.entries(variables as Variables).map(([key, each]) => {
    try {
      const raw = rawValue(each, env, readFile);
      if (raw === null && each.required) throw new BadValue('it is not set');
      return [key, raw === null ? each.fallback : each.read(raw)];
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      faults.push({ name: each.name, detail: `${error.message}. Example: ${each.name}=${each.example}` });
      return [key, each.fallback];
    }
  });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return Object.fromEntries(entries) as ValuesOf<V>;
}

function rawValue(each: Variable<unknown>, env: Environment, readFile: ReadFile): string | null {
  const direct = env[each.name]?.trim() || null;
  const file = fileName(each.name);
  const path = (each.secret && env[file]?.trim()) || null;
  if (path === null) return direct;
  if (direct !== null) throw new BadValue(`it is set, and so is ${file}; keep one of the two`);
  const value = textOf(path, file, readFile).replace(/\r?\n$/, '');
  if (value === '') throw new BadValue(`the file ${path}, named by ${file}, is empty`);
  return value;
}

/** The text of a file that a variable names; throws `BadValue`. */
export function textOf(path: string, variableName: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no such file';
    throw new BadValue(`the file ${path}, named by ${variableName}, cannot be read (${code})`);
  }
}

const fileName = (name: string): string => `${name}_FILE`;

/** The files that secrets are taken from. */
export const secretFiles = (
  variables: object,
  env: Environment,
): readonly { readonly variable: string; readonly path: string }[] =>
  Object.values(variables as Variables).flatMap(({ name, secret }) => {
    const path = secret && env[fileName(name)]?.trim();
    return path ? [{ variable: fileName(name), path }] : [];
  });

/** The names under which variables are set. */
export const namesOf = (variables: object): readonly string[] =>
  Object.values(variables as Variables).flatMap(({ name, secret }) =>
    secret ? [name, fileName(name)] : [name],
  );
