import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../../application/ports/logger.ts';
import { clientAddress } from '../../domain/client-address.ts';
import type { RequestState } from './context.ts';

/** Routes that are asked every few seconds by whoever watches the service. */
const QUIET = new Set(['/healthz', '/readyz']);

const SECURITY_HEADERS = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/**
 * Names each request, finds out who calls, sets the headers that every reply has, and writes one log line when it is
 * answered: never the path, the query or a header, since any of them may hold a secret.
 */
export function requestLog(logger: Logger, trustedProxies: readonly string[]): Middleware<RequestState> {
  return async (ctx, next) => {
    const began = performance.now();
    const { state, req, res } = ctx;
    state.requestId = randomUUID();
    const forwarded = req.headers['x-forwarded-for'];
    state.client = clientAddress(
      req.socket.remoteAddress ?? '',
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      trustedProxies,
    );
    state.route = '(none)';
    state.tokenId = null;
    for (const [name, value] of SECURITY_HEADERS) res.setHeader(name, value);
    res.setHeader('X-Request-Id', state.requestId);
    await next();
    const line = {
      request_id: state.requestId,
      method: ctx.method,
      route: state.route,
      status: ctx.status,
      ms: Math.round((performance.now() - began) * 10) / 10,
      token_id: state.tokenId,
      client: state.client,
    };
    if (QUIET.has(state.route)) logger.debug('request', line);
    else logger.info('request', line);
  };
}
