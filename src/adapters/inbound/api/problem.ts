import * as z from 'zod';
import { type DomainError, ERROR_CODES, type ErrorCode } from '../../../domain/base/errors.ts';
import { JobAlreadyActive } from '../../../domain/jobs/job.ts';
import { statusOf, titleOf } from './error-table.ts';
import { jobSchema, jobView } from './views/job-view.ts';
import { text } from './views/values.ts';

/** An error as RFC 9457 writes it. */
export const problemSchema = z.strictObject({
  type: text.describe('Where the documentation explains the code, on this service'),
  title: text.describe('Name of the HTTP status'),
  status: z.int().min(400).max(599),
  detail: text.describe('What is wrong and what to do, in one sentence'),
  code: z.enum(ERROR_CODES).describe('Stable error code: use this in programs'),
  errors: z
    .array(z.strictObject({ path: text.describe('A JSON pointer into the input'), message: text }))
    .optional()
    .describe('Each invalid field'),
  already_active: z.literal(true).optional(),
  job: jobSchema.optional().describe('With job_already_active: the active job'),
  request_id: text.optional().describe('With internal: the request ID in the service log'),
});

export type Problem = z.output<typeof problemSchema>;

/** The page of the documentation that explains a code, which the service serves itself. */
export const problemType = (code: ErrorCode): string => `/docs/errors#${code}`;

export function problemOf(error: DomainError): Problem {
  const status = statusOf(error.code);
  return {
    type: problemType(error.code),
    title: titleOf(error.code),
    status,
    detail: error.message,
    code: error.code,
    ...(error.problems.length > 0 ? { errors: [...error.problems] } : {}),
    ...(error instanceof JobAlreadyActive ? { already_active: true, job: jobView(error.job) } : {}),
  };
}
