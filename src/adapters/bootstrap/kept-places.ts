import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeptPlace } from '../outbound/hosts/protection/kept-place.ts';
import { masterKeyPath } from '../outbound/storage/secrets/master-key-file.ts';
import { SQLITE_FILE } from '../outbound/storage/sql/database.ts';
import type { Config } from './config.ts';
import { PROGRAM_ROOT } from './program-root.ts';

/** The program, its files, and its start script. */
const PROGRAM = fileURLToPath(PROGRAM_ROOT).replace(/\/$/, '');

/** What no engine reads or writes on the service's own machine. */
export function keptPlaces({
  dataDir,
  tls,
  secretFiles,
}: Pick<Config, 'dataDir' | 'tls' | 'secretFiles'>): readonly KeptPlace[] {
  const database = ['', '-wal', '-shm'].map((suffix) => join(dataDir, `${SQLITE_FILE}${suffix}`));
  return [
    { path: dataDir, what: "the service's own data" },
    { path: PROGRAM, what: "the service's program" },
    ...modulesAbove(PROGRAM).map((path) => ({
      path,
      what: "modules that the service's program may load",
      isOnlyLoaded: true,
    })),
    { path: masterKeyPath(dataDir), what: 'the master key', isKey: true },
    ...database.map((path) => ({ path, what: "the service's database" })),
    ...(tls ? [tls.certPath, tls.keyPath] : []).map((path) => ({ path, what: 'a TLS certificate or key' })),
    ...secretFiles.map(({ variable, path }) => ({
      path,
      what: `the file of ${variable}`,
      isKey: variable === 'SERVICE_MASTER_KEY_FILE',
    })),
  ];
}

/** Where Node looks for a package that the program does not include. */
function modulesAbove(directory: string): readonly string[] {
  const found: string[] = [];
  for (let at = directory; at !== '/'; ) {
    at = dirname(at);
    found.push(join(at, 'node_modules'));
  }
  return found;
}
