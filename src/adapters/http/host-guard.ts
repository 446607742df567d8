import type { Middleware } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { timesSent } from './bearer.ts';
import type { RequestState } from './context.ts';

/**
 * Lets in only requests for the names that the service answers to (with any port where none is given); an empty list
 * lets in any. This is what stops a page elsewhere from reaching the service by pointing its own name at it.
 */
export function hostGuard(allowedHosts: readonly string[]): Middleware<RequestState> {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (ctx, next) => {
    if (timesSent(ctx.req, 'host') > 1) {
      throw new DomainError('invalid_request', 'Send exactly one Host header.');
    }
    // A whole address as the target would have two hosts; only requests to forward proxies look like that.
    if (!ctx.req.url?.startsWith('/')) {
      throw new DomainError('invalid_request', 'Send the path alone as the target of the request.');
    }
    if (allowed.size === 0) return next();
    const host = (ctx.req.headers.host ?? '').toLowerCase();
    if (allowed.has(host) || allowed.has(withoutPort(host))) return next();
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

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');
