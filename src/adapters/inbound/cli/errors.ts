import type { DomainError } from '../../../domain/base/errors.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { JobAlreadyActive } from '../../../domain/jobs/job.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { typeText } from './words.ts';

/** A usage error that only shows at run time. */
export class UsageError extends Error {
  readonly exitCode: ExitCode = EXIT.usage;
}

/** A refusal for people: one sentence and the code, then every fault of the input on a separate line. */
export function errorText(error: DomainError): string {
  const { code, problems } = error;
  if (problems.length === 0) return `${sentenceOf(error)} [${code}]`;
  const faults = problems.map(({ path, message }) => `  ${path.replace(/^\//, '') || 'input'}: ${message}`);
  return [`The input is not valid. [${code}]`, ...faults].join('\n');
}

/** The domain's advice in terms of commands: there is no polling with a tool, and what may be allowed is an option. */
function sentenceOf(error: DomainError): string {
  if (error.code === 'restore_target_not_empty') return `${error.message} The option is --overwrite.`;
  if (!(error instanceof JobAlreadyActive)) return error.message;
  const { id, jobType, status, serverName } = error.job;
  if (status === 'awaiting_approval')
    return `Job ${id}, ${typeText(jobType)}, already waits for approval on ${serverName}. See: drover approval list`;
  return `Job ${id}, ${typeText(jobType)}, is already ${status} on ${serverName}; follow it with: ${shellCommand`drover job show ${id} --follow`}`;
}
