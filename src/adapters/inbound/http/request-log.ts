import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../../../application/ports/base/logger.ts';
import { clientAddress } from '../../../domain/access/client-address.ts';
import { addCommonHeaders } from './common-headers.ts';
import type { RequestState } from './context.ts';

/** Routes that are asked every few seconds by whoever watches the service. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics', '/metrics/process']);

/** `route`: its pattern, one of a fixed set. */
export type ObserveRequest = (route: string, status: number, ms: number) => void;

/**
 * Names each request, finds out who calls, sees to the headers that every reply has, and writes one log line when it is
 * answered: never the path, the query or a header, since any of them may hold a secret.
 */
export function requestLog(
  logger: Logger,
  trustedProxies: readonly string[],
  observe: ObserveRequest,
): Middleware<RequestState> {
  return async (ctx, next) => {
    const began = performance.now();
    const { state, req } = ctx;
    state.requestId = randomUUID();
    const forwarded = req.headers['x-forwarded-for'];
    state.client = clientAddress(
      req.socket.remoteAddress ?? '',
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      trustedProxies,
    );
    state.route = '(none)';
    state.tokenId = null;
    await next();
    const ms = performance.now() - began;
    addCommonHeaders(ctx);
    observe(state.route, ctx.res.statusCode, ms);
    const line = {
      request_id: state.requestId,
      method: req.method,
      route: state.route,
      status: ctx.res.statusCode,
      ms: Math.round(ms * 10) / 10,
      token_id: state.tokenId,
      client: state.client,
    };
    if (QUIET.has(state.route)) logger.debug('request', line);
    else logger.info('request', line);
  };
}
