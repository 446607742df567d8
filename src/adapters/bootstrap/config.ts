import type { KeyPairFiles } from '../outbound/tls/key-pair.ts';
import { ADAPTER_VARIABLES } from './adapter-variables.ts';
import { VARIABLES } from './config-variables.ts';
import {
  ConfigurationError,
  type Environment,
  namesOf,
  type ReadFile,
  readVariables,
  secretFiles,
  type ValuesOf,
} from './read-variables.ts';

/** More changes than this share of a name's length make it another name. */
const FARTHEST_SHARE = 0.4;

/** The name with the smallest edit distance; `null` if none is near. */
function nearest(name: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Math.floor(name.length * FARTHEST_SHARE) + 1;
  for (const candidate of known) {
    const changes = editDistance(name, candidate);
    if (changes < fewest) [best, fewest] = [candidate, changes];
  }
  return best;
}

/** Levenshtein's distance, one row of its table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The service's configuration. Secrets in it are hidden when printed. */
export type Config = Omit<ValuesOf<typeof VARIABLES>, 'tlsCert' | 'tlsKey'> & {
  /** For HTTPS; `null`: there is none. */
  readonly tls: KeyPairFiles | null;
  /** Files that variables take secrets from. */
  readonly secretFiles: readonly { readonly variable: string; readonly path: string }[];
  /** Warnings for the operator at start. */
  readonly warnings: readonly string[];
};

/** Reads the configuration from an environment; throws `ConfigurationError`. */
export function readConfig(env: Environment, readFile: ReadFile): Config {
  const { tlsCert, tlsKey, ...rest } = readVariables(VARIABLES, env, readFile);
  return {
    ...rest,
    tls: bothOrNone(tlsCert, tlsKey),
    secretFiles: secretFiles(VARIABLES, env),
    warnings: unknownNames(env),
  };
}

function bothOrNone(certPath: string | null, keyPath: string | null): KeyPairFiles | null {
  if (certPath !== null && keyPath !== null) return { certPath, keyPath };
  if (certPath === null && keyPath === null) return null;
  const [given, missing] =
    certPath === null ? (['tlsKey', 'tlsCert'] as const) : (['tlsCert', 'tlsKey'] as const);
  const { name, example } = VARIABLES[missing];
  const detail = `it is not set, while ${VARIABLES[given].name} is; HTTPS needs both. Example: ${name}=${example}`;
  throw new ConfigurationError([{ name, detail }]);
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
