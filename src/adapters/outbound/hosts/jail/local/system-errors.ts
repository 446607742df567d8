import { isDomainError } from '../../../../../domain/base/errors.ts';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { denied, diskFull, exists, failed, notAFile, notEmpty, notFound, readOnly } from '../refusals.ts';

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** What an error of the operating system means to the caller. Drover's own errors stay as they are. */
export function refusalOf(error: unknown, path: JailPath): Error {
  if (isDomainError(error)) return error;
  const code = codeOf(error);
  switch (code) {
    case 'ENOENT':
      return notFound(path);
    case 'EEXIST':
      return exists(path);
    case 'ENOTEMPTY':
      return notEmpty(path);
    case 'EISDIR':
      return notAFile(path, 'a directory');
    case 'EACCES':
    case 'EPERM':
      return denied(path);
    case 'EROFS':
      return readOnly(path);
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(path);
    case 'EIO':
    case 'EBUSY':
    case 'ESTALE':
    case 'ETXTBSY':
    case 'ENAMETOOLONG':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOTDIR':
    case 'ELOOP':
      return failed(path, code);
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
