import { DomainError } from '../../domain/errors.ts';
import { type Problem, problemOf } from '../catalogue/problem.ts';
import type { HttpContext } from './context.ts';

export function replyJson(ctx: HttpContext, status: number, body: object): void {
  ctx.status = status;
  ctx.set('Content-Type', 'application/json; charset=utf-8');
  ctx.body = JSON.stringify(body);
}

/** Seconds after which a caller may well find the service able again. */
const RETRY_AFTER = '5';

export function replyProblem(ctx: HttpContext, problem: Problem): void {
  if (problem.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  if (problem.status === 503) ctx.set('Retry-After', RETRY_AFTER);
  ctx.status = problem.status;
  ctx.set('Content-Type', 'application/problem+json; charset=utf-8');
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
