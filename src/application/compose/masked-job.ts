import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { SecretMask } from '../../domain/base/secret-mask.ts';
import type { JobResult } from '../../domain/jobs/job.ts';
import type { JobContext, RunResult } from '../jobs/runner.ts';
import type { ResolvedOrder } from './template-orders.ts';

/** The secrets of a deployment, current and previous. */
export const secretsOf = ({ values, former }: ResolvedOrder): readonly string[] => [
  ...[...values.secrets].map((name) => values.texts.get(name) ?? ''),
  ...(former?.secrets ?? []),
];

/** Takes them out. */
export const maskOf = (order: ResolvedOrder): SecretMask => new SecretMask(secretsOf(order));

/** Runs a job so that no secret is in whatever is logged, answered or thrown. */
export async function maskedJob(
  context: JobContext,
  mask: SecretMask,
  work: (masked: JobContext) => Promise<RunResult>,
): Promise<RunResult> {
  const masked: JobContext = {
    ...context,
    log: (line) => context.log(mask.mask(line)),
    detached: {
      ...context.detached,
      log: (line, marker) => context.detached.log(mask.mask(line), marker),
    },
  };
  const hidden = (error: DomainError): DomainError =>
    new DomainError(error.code, mask.mask(error.message), { problems: error.problems });
  try {
    const { failure, summary, result, ...done } = await work(masked);
    return {
      ...done,
      result: maskedResult(result, mask),
      summary: mask.mask(summary),
      failure: failure ? hidden(failure) : null,
    };
  } catch (error) {
    // The reason of the signal says by its identity why the job ends.
    if (error === context.signal.reason || !isDomainError(error)) throw error;
    throw hidden(error);
  }
}

/** Text by text: a secret may look like a piece of JSON. */
const maskedResult = (result: JobResult, mask: SecretMask): JobResult =>
  JSON.parse(
    JSON.stringify(result, (_, value: unknown) => (typeof value === 'string' ? mask.mask(value) : value)),
  ) as JobResult;
