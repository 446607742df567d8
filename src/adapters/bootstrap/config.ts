import { BadValue } from './config-values.ts';
import { ELSEWHERE, VARIABLES, type Variable } from './config-variables.ts';
import { nearest } from './nearest-name.ts';

type Variables = typeof VARIABLES;

/** What the service is told from outside. Secrets in it do not show themselves when printed. */
export type Config = {
  readonly [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never;
} & {
  /** Things to tell the operator at start that do not stop it. */
  readonly warnings: readonly string[];
};

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
 * Reads the configuration from an environment. An empty variable counts as unset. Throws `ConfigurationError` with all
 * faults at once; a secret's value is in none of them.
 */
export function readConfig(env: Environment, readFile: ReadFile): Config {
  const faults: ConfigFault[] = [];
  const entries = Object.entries(VARIABLES as Record<string, Variable<unknown>>).map(([key, variable]) => {
    try {
      const raw = rawValue(variable, env, readFile);
      return [key, raw === null ? variable.fallback : variable.read(raw)];
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      faults.push({
        name: variable.name,
        detail: `${error.message}. Example: ${variable.name}=${variable.example}`,
      });
      return [key, variable.fallback];
    }
  });
  if (faults.length > 0) throw new ConfigurationError(faults);
  return { ...(Object.fromEntries(entries) as Omit<Config, 'warnings'>), warnings: unknownNames(env) };
}

function rawValue(variable: Variable<unknown>, env: Environment, readFile: ReadFile): string | null {
  const direct = env[variable.name]?.trim() || null;
  const path = (variable.secret && env[fileName(variable.name)]?.trim()) || null;
  if (path === null) return direct;
  if (direct !== null)
    throw new BadValue(`it is set, and so is ${fileName(variable.name)}; keep one of the two`);
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no such file';
    throw new BadValue(`the file ${path}, named by ${fileName(variable.name)}, cannot be read (${code})`);
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new BadValue(`the file ${path}, named by ${fileName(variable.name)}, is empty`);
  return value;
}

const fileName = (name: string): string => `${name}_FILE`;

/** Names with our prefix that mean nothing to us are most often typing errors. Their values are not shown. */
function unknownNames(env: Environment): readonly string[] {
  const variables: readonly Variable<unknown>[] = Object.values(VARIABLES);
  const known = [
    ...variables.flatMap(({ name, secret }) => (secret ? [name, fileName(name)] : [name])),
    ...ELSEWHERE,
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_') && !known.includes(name))
    .sort()
    .map((name) => {
      const meant = nearest(name, known);
      return `There is no variable ${name}; it is ignored.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}
