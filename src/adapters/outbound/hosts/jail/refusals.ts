import { DomainError } from '../../../../domain/base/errors.ts';
import type { JailPath } from '../../../../domain/files/jail-path.ts';

/** Refusals that all implementations share. */

const shown = (path: JailPath): string => (path.isRoot ? 'The file root itself' : `"${String(path)}"`);

export const notFound = (path: JailPath): DomainError =>
  new DomainError('file_not_found', `There is no ${shown(path)} in the file root.`);

export const exists = (path: JailPath): DomainError =>
  new DomainError(
    'file_exists',
    `${shown(path)} already exists; choose a different name, or delete it first.`,
  );

export const notAFile = (path: JailPath, what: string): DomainError =>
  new DomainError('not_a_file', `${shown(path)} is ${what}; this works with regular files only.`);

export const notADirectory = (path: JailPath): DomainError =>
  new DomainError('not_a_directory', `A part of ${shown(path)} is not a directory.`);

export const notEmpty = (path: JailPath): DomainError =>
  new DomainError('directory_not_empty', `${shown(path)} is not empty; delete its contents first.`);

export const linkOnTheWay = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `${shown(path)} contains a symbolic link, which file tools do not follow. Use the link's target, if it is in the file root.`,
  );

export const movedAway = (path: JailPath): DomainError =>
  new DomainError('path_refused', `${shown(path)} was moved while it was opened; try again.`);

export const severalNames = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `${shown(path)} is a file with a second name (a hard link), which may be outside the file root; file tools do not access its content.`,
  );

export const notKept = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `The account cannot keep the owner and permissions of ${shown(path)}; change its owner on the host, or delete it first.`,
  );

export const specialMode = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `${shown(path)} runs with its owner's rights (setuid, setgid); it is not replaced.`,
  );

export const keptOut = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `${shown(path)} belongs to the service itself: its data, its program or a file with its secrets.`,
  );

export const holdsData = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `The service's own data, program or secrets are below ${shown(path)}, so it cannot be changed.`,
  );

export const changed = (path: JailPath): DomainError =>
  new DomainError(
    'changed_since_read',
    `${shown(path)} is not, or no longer, the file that if_match names; read it again before you write.`,
  );

export const changedWhileRead = (path: JailPath): DomainError =>
  new DomainError('changed_since_read', `${shown(path)} was changed while it was being read; try again.`);

export const tooLarge = (path: JailPath, most: number): DomainError =>
  new DomainError('file_too_large', `${shown(path)} is larger than the limit of file tools, ${most} bytes.`);

export const denied = (path: JailPath): DomainError =>
  new DomainError(
    'host_permission_denied',
    `The account on the host has no permission for this on ${shown(path)}.`,
  );

export const readOnly = (path: JailPath): DomainError =>
  new DomainError('host_permission_denied', `${shown(path)} is on a file system that is mounted read-only.`);

export const diskFull = (path: JailPath): DomainError =>
  new DomainError('disk_full', `There is no space left on the host for ${shown(path)}.`);

export const failed = (path: JailPath, said: string): DomainError =>
  new DomainError('host_command_failed', `The operation on ${shown(path)} failed on the host: ${said}.`);

export const anotherFileSystem = (path: JailPath): DomainError =>
  failed(path, 'another file system is mounted at it or below it');

export const tooDeep = (path: JailPath): DomainError => failed(path, 'its directories are nested too deeply');

export const jailMissing = (jail: string): DomainError =>
  new DomainError(
    'jail_unusable',
    `The file root ${jail} is not a directory on the host that the account can enter; create it there, or set a different one with \`drover server edit\`.`,
  );

/** Anyone with write access could change a link, and make it lead anywhere. */
export const jailElsewhere = (jail: string, resolved?: string): DomainError =>
  new DomainError(
    'jail_unusable',
    `The file root ${jail} contains a symbolic link${resolved === undefined ? '' : `, to ${resolved}`}; set the target directory with \`drover server edit\`.`,
  );
