import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { type Problem, problemOf } from '../catalogue/problem.ts';
import type { HttpContext } from './context.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export function replyJson(ctx: HttpContext, status: number, body: object): void {
  ctx.status = status;
  ctx.set('Content-Type', JSON_TYPE);
  ctx.body = JSON.stringify(body);
}

/** Seconds after which a caller may well find things as it wants them. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  database_unavailable: '5',
  not_ready: '5',
  idempotency_key_in_use: '1',
};

export function replyProblem(ctx: HttpContext, problem: Problem): void {
  if (problem.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  const retryAfter = RETRY_AFTER[problem.code];
  if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter);
  ctx.status = problem.status;
  ctx.set('Content-Type', PROBLEM_TYPE);
  ctx.body = JSON.stringify(problem);
}

/** What a caller learns of an error that nobody foresaw: nothing but where the operator finds it. */
export function internalProblem(requestId: string): Problem {
  const problem = problemOf(
    new DomainError(
      'internal',
      `Something went wrong inside the service; its log tells more under the request id ${requestId}.`,
    ),
  );
  return { ...problem, request_id: requestId };
}

export function methodNotAllowed(ctx: HttpContext, allowed: readonly string[]): DomainError {
  ctx.set('Allow', allowed.join(', '));
  return new DomainError('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
}
