import { ADAPTER_VARIABLES } from './adapter-variables.ts';
import { VARIABLES } from './config-variables.ts';
import { nearest } from './nearest-name.ts';
import { type Environment, namesOf, type ReadFile, readVariables, type ValuesOf } from './read-variables.ts';

/** What the service is told from outside. Secrets in it do not show themselves when printed. */
export type Config = ValuesOf<typeof VARIABLES> & {
  /** Things to tell the operator at start that do not stop it. */
  readonly warnings: readonly string[];
};

/** Reads the configuration from an environment; throws `ConfigurationError`. */
export function readConfig(env: Environment, readFile: ReadFile): Config {
  return { ...readVariables(VARIABLES, env, readFile), warnings: unknownNames(env) };
}

/** Names with our prefix that mean nothing to us are most often typing errors. Their values are not shown. */
export function unknownNames(env: Environment): readonly string[] {
  const known = [...namesOf(VARIABLES), ...namesOf(ADAPTER_VARIABLES)];
  return Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_') && !known.includes(name))
    .sort()
    .map((name) => {
      const meant = nearest(name, known);
      return `There is no variable ${name}; it is ignored.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}
