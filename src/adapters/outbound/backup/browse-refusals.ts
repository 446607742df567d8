import { DomainError } from '../../../domain/base/errors.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';

/** Refusals that all engines share. */

const shown = (path: JailPath): string => `"/${String(path)}"`;

export const notInSnapshot = (path: JailPath): DomainError =>
  new DomainError('file_not_found', `The snapshot has no ${shown(path)}.`);

export const noDirectory = (path: JailPath): DomainError =>
  new DomainError('not_a_directory', `${shown(path)} is not a directory in the snapshot.`);

export const noFile = (path: JailPath): DomainError =>
  new DomainError(
    'not_a_file',
    `${shown(path)} is not a regular file in the snapshot; only regular files can be read.`,
  );

export const linkInSnapshot = (path: JailPath): DomainError =>
  new DomainError(
    'path_refused',
    `${shown(path)} contains a symbolic link, which is not followed in a snapshot.`,
  );
