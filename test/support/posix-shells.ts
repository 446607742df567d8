import { findProgram } from '../../scripts/lib/programs.mjs';

/** The POSIX shells of this machine, each as the words that start it: hosts have one of these as `sh`. */
export const POSIX_SHELLS: ReadonlyArray<readonly string[]> = [
  ['sh'],
  ['dash'],
  ['bash', '--posix'],
  ['busybox', 'sh'],
  ['mksh'],
].filter(([program = '']) => findProgram(program));
