import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { isWithin } from '../base/path-within.ts';
import { type BackupHook, hookProblems } from './hook.ts';
import { DEFAULT_RETENTION, type RetentionPolicy, retentionProblems } from './retention-policy.ts';

/** A source that compares contents more seldom does not need the setting. */
export const MAX_CONTENT_INTERVAL = 1_000;

/**
 * Whether a backup compares the contents of all files, not only their times. `every`: compare in each Nth backup, 0
 * for never. `since`: backups since the last comparison; `null` if unknown.
 */
export const isContentDue = (every: number, since: number | null): boolean =>
  every > 0 && (since === null || since + 1 >= every);

export function contentIntervalProblems(every: number, isInRepository: boolean): InputProblem[] {
  const path = '/compare_content_every';
  if (!Number.isInteger(every) || every < 0 || every > MAX_CONTENT_INTERVAL) {
    return [{ path, message: `A whole number from 0 (never) to ${MAX_CONTENT_INTERVAL}.` }];
  }
  if (every === 0 || !isInRepository) return [];
  return [{ path, message: 'Must be 0 for a source in a repository: restic decides what has changed.' }];
}

/** How snapshots are made: plain trees in the service's own store, or encrypted in a repository that the host writes to. */
export const ENGINES = ['rsync', 'restic'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Paths of a server to back up, and their retention. */
export interface BackupSource {
  readonly id: number;
  readonly serverId: number;
  /** Unique within the server. */
  readonly name: string;
  /** Absolute paths on the host. */
  readonly paths: readonly string[];
  /** rsync exclude patterns, used by every engine; one with a leading slash is anchored at the host's root. */
  readonly excludes: readonly string[];
  /** `service`: the service's own data directory, its database taken as a consistent copy. */
  readonly kind: 'files' | 'service';
  readonly engine: EngineName;
  /** restic's repository; `null` for rsync. */
  readonly repositoryId: number | null;
  readonly retention: RetentionPolicy;
  /** Every N-th backup compares the contents of all files; 0: none. */
  readonly compareContentEvery: number;
  /** Stopped while it is backed up, in this order, and started again. */
  readonly hooks: readonly BackupHook[];
  /** When the last successful backup started to read the source. */
  readonly lastSuccessAt: Instant | null;
  readonly createdAt: Instant;
}

export type NewBackupSource = Omit<BackupSource, 'id' | 'lastSuccessAt'>;

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const MAX_ENTRIES = 100;
/** In bytes, as Linux counts: PATH_MAX (4,096) without the closing NUL. */
const MAX_PATH_LENGTH = 4_095;

/** Checks an operator's description of a source; throws `InvalidInput` with every fault named. */
export function describeSource(input: {
  readonly serverId: number;
  readonly name: string;
  readonly paths: readonly string[];
  readonly excludes?: readonly string[];
  readonly retention?: RetentionPolicy;
  readonly hooks?: readonly BackupHook[];
  /** A repository makes it a source of restic. */
  readonly repositoryId?: number | null;
  readonly compareContentEvery?: number;
  readonly at: Instant;
}): NewBackupSource {
  const problems: InputProblem[] = [];
  if (!NAME.test(input.name)) {
    problems.push({
      path: '/name',
      message:
        'A source name has 1 to 63 lower-case letters, digits, ".", "_" and "-". It starts with a letter or digit.',
    });
  }
  const { repositoryId = null, compareContentEvery = 0 } = input;
  problems.push(
    ...selectionProblems(input),
    ...contentIntervalProblems(compareContentEvery, repositoryId !== null),
  );
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    serverId: input.serverId,
    name: input.name,
    paths: unique(input.paths.map(plainPath)),
    excludes: unique(input.excludes ?? []),
    kind: 'files',
    engine: repositoryId === null ? 'rsync' : 'restic',
    repositoryId,
    retention: input.retention ?? DEFAULT_RETENTION,
    compareContentEvery,
    hooks: [...(input.hooks ?? [])],
    createdAt: input.at,
  };
}

/** What an operator can change. The location of the snapshots is fixed: a change would cut off their history. */
export interface SourceChange {
  readonly paths?: readonly string[];
  readonly excludes?: readonly string[];
  readonly retention?: Partial<RetentionPolicy>;
  readonly compareContentEvery?: number;
  readonly hooks?: readonly BackupHook[];
}

export type SourceSettings = Pick<
  BackupSource,
  'paths' | 'excludes' | 'retention' | 'compareContentEvery' | 'hooks'
>;

/** The source after a change. Throws `empty_change`, and `invalid_input` with every fault named. */
export function changeSource(source: BackupSource, change: SourceChange): SourceSettings {
  const { paths = source.paths, excludes = source.excludes, hooks = source.hooks } = change;
  const { compareContentEvery = source.compareContentEvery } = change;
  const retention = { ...source.retention, ...change.retention };
  if (change.paths && source.kind === 'service') {
    throw new InvalidInput([
      {
        path: '/paths',
        message: "The paths of Drover's own data are fixed, so you cannot change them.",
      },
    ]);
  }
  const problems = [
    ...selectionProblems({ paths, excludes, retention, hooks }),
    ...contentIntervalProblems(compareContentEvery, source.repositoryId !== null),
  ];
  if (problems.length > 0) throw new InvalidInput(problems);
  const after = {
    paths: unique(paths.map(plainPath)),
    excludes: unique(excludes),
    retention,
    compareContentEvery,
    hooks,
  };
  const before: SourceSettings = {
    paths: source.paths,
    excludes: source.excludes,
    retention: source.retention,
    compareContentEvery: source.compareContentEvery,
    hooks: source.hooks,
  };
  if (JSON.stringify(after) === JSON.stringify(before)) {
    throw new DomainError('empty_change', 'Nothing to change: name at least one setting of the source.');
  }
  return after;
}

/** Paths and patterns as they would be saved. Throws `invalid_input` with every fault named. */
export function checkSelection(input: {
  readonly paths: readonly string[];
  readonly excludes: readonly string[];
}): Pick<BackupSource, 'paths' | 'excludes'> {
  const problems = selectionProblems(input);
  if (problems.length > 0) throw new InvalidInput(problems);
  return { paths: unique(input.paths.map(plainPath)), excludes: unique(input.excludes) };
}

export const sourceNotFound = (name: string): DomainError =>
  new DomainError('source_not_found', `The server has no backup source named "${name}".`);

function selectionProblems(input: {
  readonly paths: readonly string[];
  readonly excludes?: readonly string[];
  readonly retention?: RetentionPolicy;
  readonly hooks?: readonly BackupHook[];
}): InputProblem[] {
  const { paths, excludes = [], retention, hooks = [] } = input;
  return [
    ...(paths.length === 0 ? [{ path: '/paths', message: 'Name at least one path.' }] : []),
    ...tooMany('/paths', paths),
    ...tooMany('/excludes', excludes),
    ...faultsOf('/paths', paths, pathFault),
    ...faultsOf('/excludes', excludes, patternFault),
    ...(retention ? retentionProblems(retention) : []),
    ...hookProblems(hooks),
  ];
}

const faultsOf = (
  path: string,
  entries: readonly string[],
  faultOf: (entry: string) => string | null,
): InputProblem[] =>
  entries.flatMap((entry, index) => {
    const message = faultOf(entry);
    return message === null ? [] : [{ path: `${path}/${index}`, message }];
  });

function tooMany(path: string, entries: readonly string[]): InputProblem[] {
  return entries.length > MAX_ENTRIES ? [{ path, message: `At most ${MAX_ENTRIES} entries.` }] : [];
}

function pathFault(path: string): string | null {
  if (!path.startsWith('/')) return 'Must be an absolute path, starting with "/".';
  if (path.includes('\0')) return 'A path must not contain NUL characters.';
  if (path.split('/').some((part) => part === '.' || part === '..')) {
    return 'A path must not contain "." or ".." parts.';
  }
  return textFault(path);
}

function patternFault(pattern: string): string | null {
  if (pattern === '') return 'A pattern must not be empty.';
  if (/[\u0000-\u001f\u007f]/.test(pattern)) return 'A pattern must not contain control characters.';
  return textFault(pattern);
}

function textFault(text: string): string | null {
  if (/\p{Surrogate}/u.test(text)) return 'It contains half of a surrogate pair, so it is not valid text.';
  if (new TextEncoder().encode(text).length > MAX_PATH_LENGTH) return `At most ${MAX_PATH_LENGTH} bytes.`;
  return null;
}

/** Whether snapshots of the source have the path, apart from excluded files in it. */
export const coversPath = ({ kind, paths, excludes }: BackupSource, path: string): boolean =>
  kind === 'files' &&
  paths.some((each) => isWithin(path, each)) &&
  !excludes.some((pattern) => isExcludedWhole(pattern, path));

/** Patterns with wildcards before their end are about files in a path. */
function isExcludedWhole(pattern: string, path: string): boolean {
  const plain = pattern.replace(/\/\*{0,3}$/, '');
  if (plain.startsWith('/')) return plain !== '' && isWithin(path, plain);
  return !plain.includes('/') && path.split('/').includes(plain);
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
