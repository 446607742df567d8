import { DomainError, type InputProblem, InvalidInput } from './errors.ts';
import type { Instant } from './instant.ts';
import { DEFAULT_RETENTION, type RetentionPolicy, retentionProblems } from './retention-policy.ts';

/** What is backed up of a server, and for how long it is kept. */
export interface BackupSource {
  readonly id: number;
  readonly serverId: number;
  /** Unique within the server. */
  readonly name: string;
  /** Absolute paths on the host. */
  readonly paths: readonly string[];
  /** rsync exclude patterns; one with a leading slash is anchored at the host's root. */
  readonly excludes: readonly string[];
  /** `service`: the service's own data directory, its database taken as a consistent copy. */
  readonly kind: 'files' | 'service';
  readonly retention: RetentionPolicy;
  /** When the last backup that succeeded began to read the source. */
  readonly lastSuccessAt: Instant | null;
  readonly createdAt: Instant;
}

export type NewBackupSource = Omit<BackupSource, 'id' | 'lastSuccessAt'>;

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const MOST_ENTRIES = 100;
/** In bytes, as Linux counts: PATH_MAX (4,096) without the closing NUL. */
const LONGEST_PATH = 4_095;

/** Checks an operator's description of a source; throws `InvalidInput` with every fault named. */
export function describeSource(input: {
  readonly serverId: number;
  readonly name: string;
  readonly paths: readonly string[];
  readonly excludes?: readonly string[];
  readonly retention?: RetentionPolicy;
  readonly at: Instant;
}): NewBackupSource {
  const problems: InputProblem[] = [];
  if (!NAME.test(input.name)) {
    problems.push({
      path: '/name',
      message:
        'A source is named by lower-case letters, digits, ".", "_" and "-", 63 at most, a letter or digit first.',
    });
  }
  if (input.paths.length === 0) problems.push({ path: '/paths', message: 'Name at least one path.' });
  problems.push(...tooMany('/paths', input.paths), ...tooMany('/excludes', input.excludes ?? []));
  for (const [index, path] of input.paths.entries()) {
    const fault = pathFault(path);
    if (fault) problems.push({ path: `/paths/${index}`, message: fault });
  }
  for (const [index, pattern] of (input.excludes ?? []).entries()) {
    const fault = patternFault(pattern);
    if (fault) problems.push({ path: `/excludes/${index}`, message: fault });
  }
  if (input.retention) problems.push(...retentionProblems(input.retention));
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    serverId: input.serverId,
    name: input.name,
    paths: unique(input.paths.map(plainPath)),
    excludes: unique(input.excludes ?? []),
    kind: 'files',
    retention: input.retention ?? DEFAULT_RETENTION,
    createdAt: input.at,
  };
}

function tooMany(path: string, entries: readonly string[]): InputProblem[] {
  return entries.length > MOST_ENTRIES ? [{ path, message: `At most ${MOST_ENTRIES} entries.` }] : [];
}

function pathFault(path: string): string | null {
  if (!path.startsWith('/')) return 'A path is absolute: it begins with "/".';
  if (path.includes('\0')) return 'A path has no NUL character.';
  if (path.split('/').some((part) => part === '.' || part === '..')) {
    return 'A path has no "." or ".." parts.';
  }
  return textFault(path);
}

function patternFault(pattern: string): string | null {
  if (pattern === '') return 'A pattern is not empty.';
  if (/[\u0000-\u001f\u007f]/.test(pattern)) return 'A pattern has no control characters.';
  return textFault(pattern);
}

function textFault(text: string): string | null {
  if (/\p{Surrogate}/u.test(text)) return 'It has half of a surrogate pair, which is no valid text.';
  if (new TextEncoder().encode(text).length > LONGEST_PATH) return `At most ${LONGEST_PATH} bytes.`;
  return null;
}

/** One slash between parts and none at the end. */
const plainPath = (path: string): string => path.replace(/\/+/g, '/').replace(/(.)\/$/s, '$1');

const unique = (entries: readonly string[]): string[] => [...new Set(entries)];

/** The sources that a job covers: all of the server's, or the one named. Throws `source_not_found`, `no_backup_source`. */
export function selectSources(all: readonly BackupSource[], filter: string | null): readonly BackupSource[] {
  if (all.length === 0) {
    throw new DomainError(
      'no_backup_source',
      'The server has no backup source; add one with `drover source add SERVER --name NAME --path PATH`.',
    );
  }
  if (filter === null) return all;
  const found = all.filter((source) => source.name === filter);
  if (found.length === 0) {
    throw new DomainError(
      'source_not_found',
      `The server has no backup source named "${filter}"; it has: ${all.map((source) => source.name).join(', ')}.`,
    );
  }
  return found;
}
