import type { Middleware } from 'koa';
import type { ServesHost } from '../../../domain/access/served-hosts.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { timesSent } from './bearer.ts';
import type { HttpContext, RequestState } from './context.ts';

/** Lets in only requests for the names that the service answers to; `isExempt`: those that any name will do for. */
export function hostGuard(
  serves: ServesHost,
  isExempt: (ctx: HttpContext) => boolean,
): Middleware<RequestState> {
  return (ctx, next) => {
    if (timesSent(ctx.req, 'host') > 1) {
      throw new DomainError('invalid_request', 'Send exactly one Host header.');
    }
    // A whole address as the target would have two hosts; only requests to forward proxies look like that.
    if (!ctx.req.url?.startsWith('/')) {
      throw new DomainError('invalid_request', 'Send the path alone as the target of the request.');
    }
    if (serves(ctx.req.headers.host ?? '', ctx.req.socket.localAddress ?? '') || isExempt(ctx)) return next();
    if (ctx.req.headers.origin !== undefined) {
      throw new DomainError(
        'origin_not_allowed',
        'The service does not answer to pages under this host name.',
      );
    }
    throw new DomainError(
      'host_not_allowed',
      'The service does not answer to this host name; an operator can add it to SERVICE_ALLOWED_HOSTS.',
    );
  };
}
