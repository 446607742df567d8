import type { OpenRepository } from '../../../../application/ports/backups/repository-inspector.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import type { ResticEnd } from './restic-host.ts';

/** No repository there, according to restic. */
export const isAbsent = ({ said }: ResticEnd): boolean =>
  /Is there a repository at the following location/.test(said);
export const isLocked = ({ said }: ResticEnd): boolean => /repository is already locked/.test(said);
const isWrongPassword = (said: string): boolean => /wrong password or no key found/.test(said);
/** restic asks "Is there a repository …?" even if only access was denied. */
const isRefused = (said: string): boolean =>
  /access.?denied|access key|signature|forbidden|unauthori[sz]ed|permission denied|\(40[13]\)/i.test(said);
/** It could read no file of the repository: report the reason, not the missing files. */
export const isShut = (end: ResticEnd): boolean =>
  end.exitCode !== 0 &&
  (isAbsent(end) ||
    isWrongPassword(end.said) ||
    /^Fatal: unable to open (?:config|repository)/m.test(end.said));
/** A snapshot that it was to compare with is not there. */
export const isWithoutParent = ({ said, exitCode }: ResticEnd): boolean =>
  exitCode !== 0 && /no matching ID found/i.test(said);
/** Another process has just created it. */
export const isThereAlready = ({ said }: ResticEnd): boolean =>
  /config file already exists|already initialized/.test(said);

/** restic's messages for a damaged repository. */
const DAMAGE =
  /ciphertext verification failed|hash mismatch|does not match|unexpected content|blob .{1,200} not found|pack .{1,200} (?:not found|not exist)|unable to load (?:tree|snapshot)|load\(?<?(?:data|index|snapshot)|invalid data|no such file or directory.{0,300}\/data\/|file does not exist/i;

export const isDamage = (said: string): boolean => DAMAGE.test(said);

/** restic's failure, for people. */
export function repositoryFault({ repository }: OpenRepository, end: ResticEnd): DomainError {
  const { name, url, initialisedAt } = repository;
  if (isWrongPassword(end.said)) {
    return unusable(name, 'the stored password is wrong.');
  }
  if (isAbsent(end) && !isRefused(end.said)) {
    return unusable(
      name,
      initialisedAt === null
        ? `there is none at ${url} yet; the first backup creates it.`
        : `it is no longer at ${url}. It existed before, so Drover does not create it again: check for an unmounted disk or a changed server.`,
    );
  }
  return unusable(name, `${lastWords(end)}.`);
}

export const unusable = (name: string, why: string): DomainError =>
  new DomainError('repository_unusable', `The repository "${name}" cannot be used: ${why}`);

/** The end of its output, on one line. */
export function lastWords({ said, exitCode }: ResticEnd): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => line.startsWith('Fatal: ')) ?? lines.at(-1);
  return (
    fatal
      ?.replace(/^Fatal: /, '')
      .replace(/\.$/, '')
      .slice(0, 500) ?? `restic ended with code ${exitCode}`
  );
}
