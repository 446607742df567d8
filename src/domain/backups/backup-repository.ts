import { DomainError, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';

export const REPOSITORY_KINDS = ['local', 'sftp', 'rest', 's3'] as const;
export type RepositoryKind = (typeof REPOSITORY_KINDS)[number];

/** A place that keeps encrypted snapshots of many sources. */
export interface BackupRepository {
  readonly id: number;
  /** Unique among the repositories that are there. */
  readonly name: string;
  readonly kind: RepositoryKind;
  /** As the hosts reach it, without any secret: a path, `sftp:…`, `rest:http…` or `s3:…`. */
  readonly url: string;
  /** When a backup found or created it for the first time; from then on it is never created again. */
  readonly initialisedAt: Instant | null;
  readonly createdAt: Instant;
}

export type NewBackupRepository = Omit<BackupRepository, 'id' | 'initialisedAt'>;

/** The repository's password. It is stored encrypted, and sent to hosts over standard input only. */
export interface RepositorySecrets {
  /** Encrypts the repository: without it nothing in there can be read. */
  readonly password: string;
  /** Credentials: a user of a REST server, or an access key of S3. */
  readonly login: { readonly name: string; readonly secret: string } | null;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const LONGEST = 1_000;
const KIND_OF_PREFIX: ReadonlyArray<readonly [RegExp, RepositoryKind]> = [
  [/^\//, 'local'],
  [/^sftp:(?:\/\/)?[^/:@\s][^/:\s]*[:/]./, 'sftp'],
  [/^rest:https?:\/\/[^/\s]/, 'rest'],
  [/^s3:\S+\/\S/, 's3'],
];

/** Checks an operator's description of a repository; throws `InvalidInput` with every fault named. */
export function describeRepository(input: {
  readonly name: string;
  readonly url: string;
  readonly secrets: RepositorySecrets;
  readonly at: Instant;
}): NewBackupRepository {
  const { name, url, secrets, at } = input;
  const kind = KIND_OF_PREFIX.find(([pattern]) => pattern.test(url))?.[1];
  const problems: InputProblem[] = [];
  if (!NAME.test(name)) {
    problems.push({
      path: '/name',
      message:
        'A repository name has 1 to 63 lower-case letters, digits, ".", "_" and "-". It starts with a letter or digit.',
    });
  }
  const fault = kind === undefined ? UNKNOWN_KIND : urlFault(kind, url);
  if (fault) problems.push({ path: '/url', message: fault });
  problems.push(...secretProblems(kind, secrets));
  if (problems.length > 0 || kind === undefined) throw new InvalidInput(problems);
  return { name, kind, url, createdAt: at };
}

const UNKNOWN_KIND =
  'A repository URL is an absolute path on the server, sftp:USER@HOST:/PATH, rest:https://HOST/PATH or s3:https://HOST/BUCKET.';

function urlFault(kind: RepositoryKind, url: string): string | null {
  if (url.length > LONGEST) return `At most ${LONGEST} characters.`;
  if (/[\u0000-\u001f\u007f]/.test(url)) return 'A URL must not contain control characters.';
  if (kind === 'local' && (url === '/' || url.split('/').some((part) => part === '.' || part === '..'))) {
    return 'The path must not be the root directory or contain "." or ".." parts.';
  }
  if (kind !== 'local' && /\/\/[^/:]*:[^/@]*@/.test(url)) {
    return 'Remove the password from the URL. Drover asks for it separately and stores it encrypted.';
  }
  if (kind === 'rest' && /\/\/[^/]*@/.test(url))
    return 'Remove the user name from the URL and enter it separately.';
  return null;
}

function secretProblems(
  kind: RepositoryKind | undefined,
  { password, login }: RepositorySecrets,
): InputProblem[] {
  const problems: InputProblem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path, message });
  if (password === '') refuse('/password', 'A repository needs a password, which encrypts its data.');
  if (isUnfit(password)) refuse('/password', ONE_LINE);
  if (kind === 's3' && login === null) refuse('/login', 'S3 needs an access key ID and a secret key.');
  if ((kind === 'local' || kind === 'sftp') && login !== null) {
    refuse(
      '/login',
      'Only REST servers and S3 use a name and a secret; sftp uses the SSH keys of the server.',
    );
  }
  if (login && (login.name === '' || isUnfit(login.name))) refuse('/login/name', ONE_LINE);
  if (login && (login.secret === '' || isUnfit(login.secret))) refuse('/login/secret', ONE_LINE);
  return problems;
}

const ONE_LINE = `One line of at most ${LONGEST} characters; it must not be empty.`;
const isUnfit = (text: string): boolean => text.length > LONGEST || /[\r\n\0]/.test(text);

export const repositoryNotFound = (name: string): DomainError =>
  new DomainError('repository_not_found', `There is no backup repository named "${name}".`);
