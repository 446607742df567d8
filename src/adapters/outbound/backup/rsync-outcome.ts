import { DomainError } from '../../../domain/base/errors.ts';
import { toolProblem } from './local-program.ts';
import type { RsyncComplaints } from './rsync-complaints.ts';
import type { RsyncEnd } from './rsync-process.ts';
import { toolMissing } from './source-survey.ts';

/** `full`: the receiving side has no space; `partial`: some files or attributes failed, the rest is complete. */
export type Outcome = 'complete' | 'vanished' | 'partial' | 'full';

/** rsync's exit codes, as in its manual; 127 is the shell's. */
const OUT_OF_MEMORY = [14, 22];
const PARTIAL = 23;
const VANISHED = 24;
const TIMEOUT = 30;
const NOT_FOUND = 127;

/** The result of an ended rsync. Throws `host_tool_missing`, and `backup_failed` if it was aborted. */
export function outcomeOf(end: RsyncEnd, complaints: RsyncComplaints): Outcome {
  if (end.exitCode === 0) return 'complete';
  if (end.exitCode === NOT_FOUND && end.remote === null) {
    throw toolProblem('rsync', Object.assign(new Error('rsync: not found'), { code: 'ENOENT' }));
  }
  if (end.remote?.exitCode === NOT_FOUND) throw toolMissing('rsync');
  if (complaints.isFull) return 'full';
  if (end.exitCode === VANISHED) return 'vanished';
  if (end.exitCode === PARTIAL) return 'partial';
  throw new DomainError('backup_failed', `rsync ended with ${endingOf(end)}: ${complaints.text}.`);
}

function endingOf({ exitCode, remote }: RsyncEnd): string {
  if (exitCode === null) return 'a signal';
  if (exitCode === TIMEOUT) return `code ${exitCode} (the host sent nothing for too long)`;
  if (OUT_OF_MEMORY.includes(exitCode))
    return `code ${exitCode} (out of memory: the list of files is too long)`;
  const isSame = !remote || remote.exitCode === exitCode || remote.exitCode === 0;
  return isSame
    ? `code ${exitCode}`
    : `code ${exitCode}, on the host with ${remote.exitCode ?? remote.signal}`;
}
