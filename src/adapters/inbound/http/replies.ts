import { DomainError, type ErrorCode } from '../../../domain/base/errors.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import type { HttpContext } from './context.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/**
 * Sends a reply directly. Koa would set the headers one by one, and compute type and length, which are known here:
 * that takes as long as all of Node's own work on a request.
 */
export function sendText(ctx: HttpContext, status: number, type: string | null, text: string): void {
  const { res } = ctx;
  // A handler that has written directly cannot be answered for.
  if (res.headersSent) return;
  const prepared = res.getHeaderNames().length > 0;
  if (prepared) addCommonHeaders(ctx);
  const headers = prepared ? [] : commonHeaders(ctx);
  if (type !== null) headers.push('Content-Type', type);
  headers.push('Content-Length', String(Buffer.byteLength(text)));
  ctx.respond = false;
  res.writeHead(status, headers);
  res.end(text);
}

export function replyJson(ctx: HttpContext, status: number, body: object): void {
  sendText(ctx, status, JSON_TYPE, JSON.stringify(body));
}

/** Seconds after which a caller may well find things as it wants them. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  database_unavailable: '5',
  not_ready: '5',
  idempotency_key_in_use: '1',
};

/**
 * Clients written for other services find `already_active` only in a conflict that is `application/json`, and say so by
 * accepting nothing else.
 */
export function problemType(ctx: HttpContext, status: number): string {
  const accept = ctx.req.headers.accept ?? '*/*';
  const takesProblems = /application\/(problem\+json|\*)|\*\/\*/.test(accept);
  return status === 409 && !takesProblems && accept.includes('application/json') ? JSON_TYPE : PROBLEM_TYPE;
}

export function replyProblem(ctx: HttpContext, problem: Problem): void {
  if (problem.status === 401) ctx.set('WWW-Authenticate', 'Bearer');
  const retryAfter = RETRY_AFTER[problem.code];
  if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter);
  sendText(ctx, problem.status, problemType(ctx, problem.status), JSON.stringify(problem));
}

/** What a caller learns of an unexpected error: only where the operator finds it. */
export function internalProblem(requestId: string): Problem {
  const problem = problemOf(
    new DomainError('internal', `Internal error. See the service log for request id ${requestId}.`),
  );
  return { ...problem, request_id: requestId };
}

export function methodNotAllowed(ctx: HttpContext, allowed: readonly string[]): DomainError {
  ctx.set('Allow', allowed.join(', '));
  return new DomainError('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
}

/** Default headers of every reply: no caching, no type guessing, no embedding. */
const COMMON: readonly (readonly [string, string])[] = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});
const REQUEST_ID = 'X-Request-Id';

/** Gives a reply that is still to be sent the common headers that it does not have yet. */
export function addCommonHeaders({ res, state }: HttpContext): void {
  if (res.headersSent) return;
  for (const [name, value] of COMMON) if (!res.hasHeader(name)) res.setHeader(name, value);
  res.setHeader(REQUEST_ID, state.requestId);
}

const FLAT = COMMON.flat();

/** The common headers of one reply, names and values in turn. */
export const commonHeaders = ({ state }: HttpContext): string[] => [...FLAT, REQUEST_ID, state.requestId];
