import { X509Certificate } from 'node:crypto';
import { ADAPTER_VARIABLES } from './adapter-variables.ts';
import { BadValue } from './config-values.ts';
import {
  ConfigurationError,
  type Environment,
  type ReadFile,
  readVariables,
  textOf,
} from './read-variables.ts';
import type { SecretValue } from './secret-value.ts';

/** The stdio adapter's configuration. */
export interface AdapterConfig {
  readonly url: string;
  readonly token: SecretValue;
  /** Certificates in PEM. */
  readonly ca: string | null;
}

/** Reads the adapter's configuration; throws `ConfigurationError`. */
export function readAdapterConfig(env: Environment, readFile: ReadFile): AdapterConfig {
  const { url, token, caFile } = readVariables(ADAPTER_VARIABLES, env, readFile);
  return { url, token, ca: caFile === null ? null : certificates(caFile, readFile) };
}

function certificates(path: string, readFile: ReadFile): string {
  const { name } = ADAPTER_VARIABLES.caFile;
  try {
    const pem = textOf(path, name, readFile);
    checkCertificate(pem, path);
    return pem;
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new ConfigurationError([{ name, detail: `${error.message}.` }]);
  }
}

/** A file that holds something else would be found out only by connections that fail. Throws `BadValue`. */
function checkCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new BadValue(`the file ${path} holds no certificate in PEM`);
  }
}
