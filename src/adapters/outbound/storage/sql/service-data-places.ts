import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR } from '../../../../domain/base/instant.ts';
import { SQLITE_FILE } from './database.ts';

export interface ServiceDataOptions {
  /** The data directory, absolute. */
  readonly directory: string;
  /** The snapshot directory, absolute. */
  readonly backupsDirectory: string;
}

const UNFINISHED = '.unfinished-';

/**
 * What a backup of the data directory excludes: the snapshots, the live database, unfinished copies, and the master
 * key, which decrypts all the rest.
 */
export const excludesOf = ({ directory, backupsDirectory }: ServiceDataOptions): readonly string[] => [
  `${literal(backupsDirectory)}/`,
  ...['', '-wal', '-shm'].map((suffix) => literal(join(directory, `${SQLITE_FILE}${suffix}`))),
  `${quoted(join(directory, 'export'))}/${UNFINISHED}*`,
  ...['master.key*', 'master-key*'].map((name) => `${quoted(directory)}/${name}`),
];

/** rsync takes backslashes as escapes only in a pattern that has a wildcard (see its manual, PATTERN MATCHING RULES). */
const literal = (path: string): string => (/[*?[]/.test(path) ? quoted(path) : path);

const quoted = (path: string): string => path.replace(/[\\*?[\]]/g, '\\$&');

/** Writes a file in the export directory under a temporary name, then replaces the previous one. */
export async function replaceExport(
  directory: string,
  name: string,
  write: (path: string) => Promise<void>,
): Promise<string> {
  const exports = join(directory, 'export');
  await mkdir(exports, { recursive: true, mode: 0o700 });
  await removeLeftOvers(exports);
  const path = join(exports, name);
  const unfinished = join(exports, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    await write(unfinished);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  return path;
}

/** Leftovers of dead processes. Younger ones may still be in use by another process. */
async function removeLeftOvers(exports: string): Promise<void> {
  for (const name of await readdir(exports)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(exports, name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtimeMs < Date.now() - HOUR) await rm(path, { force: true });
  }
}
