import type { ErrorCode } from '../../../domain/base/errors.ts';
import { ERRORS } from '../api/error-table.ts';

/** The meaning of the exit codes for scripts. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  conflict: 5,
  /** As shells report a program that Ctrl-C ended. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const exitCodeOf = (code: ErrorCode): ExitCode => EXIT[ERRORS[code].exit];
