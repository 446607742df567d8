import { randomUUID } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import type { Authenticate } from '../../../application/access/authenticate.ts';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { CheckReadiness } from '../../../application/service/check-readiness.ts';
import { clientAddress } from '../../../domain/access/client-address.ts';
import { type ServesHost, servesHosts } from '../../../domain/access/served-hosts.ts';
import { DomainError, isDomainError } from '../../../domain/base/errors.ts';
import { CATALOGUE } from '../api/catalogue.ts';
import { openApiDocument } from '../api/openapi/document.ts';
import type { ApiUseCases } from '../api/operation.ts';
import { problemOf } from '../api/problem.ts';
import { apiRoutes, notFound } from './api-routes.ts';
import { bearer, timesSent } from './bearer.ts';
import { ConnectionLost } from './body.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { FixedRoute, HttpContext, RequestState } from './context.ts';
import { close, httpListener, httpsListener, listen, type TlsIdentity } from './listeners.ts';
import { openApiRoutes } from './openapi-route.ts';
import { RateLimited, type RateLimits } from './rate-limit.ts';
import { addCommonHeaders, internalProblem, methodNotAllowed, replyJson, replyProblem } from './replies.ts';

export interface HttpServerDeps {
  readonly authenticate: Pick<Authenticate, 'execute'>;
  readonly readiness: Pick<CheckReadiness, 'execute'>;
  readonly useCases: ApiUseCases;
  readonly answerOnce: Pick<AnswerOnce, 'execute'>;
  readonly logger: Logger;
  /** How many requests callers may send. */
  readonly limits: RateLimits;
  readonly connections: ConnectionLimits;
  /** Address ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** The service's own address, which examples show; `null`: not known. */
  readonly publicUrl: string | null;
  /** Further names that the service answers to; without any and without a public address, any beyond loopback. */
  readonly allowedHosts: readonly string[];
  /** Called for every answered request. */
  readonly observe: ObserveRequest;
  /** Routes of other adapters, such as `/mcp`. */
  readonly mounts: readonly FixedRoute[];
  /** The web UI: handles everything that no other interface does. */
  readonly pages: Middleware<RequestState>;
  /** Ends replies that would continue as long as the client listens; called once when the server stops. */
  readonly closing: () => void;
}

/** All interfaces, on any number of addresses. */
export interface HttpServer {
  /**
   * Resolves once it listens; port 0 takes any free one. Throws errors of the operating system, such as EADDRINUSE.
   */
  listen(host: string | null, port: number): Promise<AddressInfo>;
  /** The same over HTTPS. */
  listenSecurely(host: string | null, port: number, identity: TlsIdentity): Promise<AddressInfo>;
  /** Accepts no more connections, lets running requests finish, then closes the rest. */
  close(): Promise<void>;
}

export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const limits = { ...deps.connections, exempt: deps.trustedProxies };
  let stopping = false;
  const handleRequest = createApp(deps, () => stopping).callback();
  const handle: RequestListener = (req, res) => {
    // Who has a connection open is not to send a further request on it.
    if (stopping) res.setHeader('Connection', 'close');
    void handleRequest(req, res);
  };
  const servers: Server[] = [];
  const open = (server: Server, host: string | null, port: number): Promise<AddressInfo> => {
    servers.push(server);
    return listen(server, host, port);
  };
  return {
    listen: (host, port) => open(httpListener(handle, limits), host, port),
    listenSecurely: (host, port, identity) => open(httpsListener(handle, limits, identity), host, port),
    close: async () => {
      stopping = true;
      deps.closing();
      await Promise.all(servers.map(close));
    },
  };
}

/** The endpoint of agents is often written with a slash at its end. */
const aliasOf = (path: string): string => (path === '/mcp/' ? '/mcp' : '');

function createApp(deps: HttpServerDeps, isStopping: () => boolean): Koa<RequestState> {
  const app = new Koa<RequestState>();
  // Koa's own error report: for errors without a possible answer, such as a broken connection.
  app.on('error', (error: unknown) => deps.logger.debug('reply not sent', { error }));
  const document = () =>
    openApiDocument(CATALOGUE, { version: deps.useCases.version, publicUrl: deps.publicUrl });
  const mounts = new Map(
    [...probes(deps.readiness, isStopping), ...openApiRoutes(document), ...deps.mounts].map((mount) => [
      mount.path,
      mount,
    ]),
  );
  // Without a query the address is the path; to find that out otherwise takes long.
  const fixedRouteFor = (ctx: HttpContext): FixedRoute | undefined =>
    mounts.get(ctx.req.url ?? '') ?? mounts.get(ctx.path) ?? mounts.get(aliasOf(ctx.path));
  app.use(requestLog(deps.logger, deps.trustedProxies, deps.observe));
  app.use(errorReplies(deps.logger));
  app.use(hostGuard(servesHosts(deps), (ctx) => fixedRouteFor(ctx)?.anyHost ?? false));
  app.use((ctx, next) => {
    const mount = fixedRouteFor(ctx);
    if (!mount?.uncounted) deps.limits.takeAddress(ctx.state.client);
    if (!mount) return next();
    ctx.state.route = mount.path;
    return mount.handle(ctx);
  });
  app.use(apiRoutes(CATALOGUE, deps.useCases, bearer(deps.authenticate, deps.limits), deps.answerOnce));
  app.use(deps.pages);
  app.use(notFound);
  return app;
}

/** Turns any error into a reply. Refusals are explained; unexpected errors are logged and hidden. */
function errorReplies(logger: Logger): Middleware<RequestState> {
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
        // The client is gone; the status is for the log.
        ctx.status = 400;
      } else {
        logger.error('request failed', { request_id: ctx.state.requestId, error });
        replyProblem(ctx, internalProblem(ctx.state.requestId));
      }
    }
  };
}

/** Accepts only requests for the service's own names; `isExempt`: those that allow any name. */
function hostGuard(serves: ServesHost, isExempt: (ctx: HttpContext) => boolean): Middleware<RequestState> {
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

/** A database that takes longer than this to answer, in milliseconds, is of no use to callers. */
const PATIENCE = 3_000;

/** For supervisors that restart a hung service, and load balancers that route to a ready one. */
function probes(
  readiness: Pick<CheckReadiness, 'execute'>,
  isStopping: () => boolean,
): readonly FixedRoute[] {
  return [
    { path: '/healthz', uncounted: true, anyHost: true, handle: (ctx) => answer(ctx) },
    {
      path: '/readyz',
      uncounted: true,
      anyHost: true,
      async handle(ctx) {
        requireGet(ctx);
        if (isStopping()) throw new DomainError('not_ready', 'The service is being stopped.');
        await inTime(readiness.execute());
        answer(ctx);
      },
    },
  ];
}

function answer(ctx: HttpContext): void {
  requireGet(ctx);
  replyJson(ctx, 200, { ok: true });
}

function requireGet(ctx: HttpContext): void {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
}

async function inTime(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE} ms`)), PATIENCE);
  });
  try {
    await Promise.race([check, late]);
  } catch (cause) {
    throw new DomainError('not_ready', 'The database does not answer.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Routes that monitoring requests every few seconds. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics', '/metrics/process']);

/** `route`: its pattern, one of a fixed set. */
type ObserveRequest = (route: string, status: number, ms: number) => void;

/**
 * Names each request, finds out who calls, sees to the headers that every reply has, and writes one log line when it is
 * answered: never the path, the query or a header, since any of them may hold a secret.
 */
function requestLog(
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
