import type { Middleware } from 'koa';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { isDomainError } from '../../../domain/base/errors.ts';
import { problemOf } from '../api/problem.ts';
import { ConnectionLost } from './body.ts';
import type { RequestState } from './context.ts';
import { RateLimited } from './rate-limit.ts';
import { internalProblem, replyProblem } from './replies.ts';

/** Turns whatever is thrown into a reply. Refusals say what they are; what nobody foresaw is logged and not told. */
export function errorReplies(logger: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (isDomainError(error)) {
        const problem = problemOf(error);
        if (error instanceof RateLimited) ctx.set('Retry-After', String(error.retryAfterSeconds));
        if (problem.status >= 500) logger.warn('request failed', { request_id: ctx.state.requestId, error });
        replyProblem(ctx, problem);
      } else if (error instanceof ConnectionLost) {
        // Nobody is there to read it; the status is for the log.
        ctx.status = 400;
      } else {
        logger.error('request failed', { request_id: ctx.state.requestId, error });
        replyProblem(ctx, internalProblem(ctx.state.requestId));
      }
    }
  };
}
