import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import type { Authenticate } from '../../../application/access/authenticate.ts';
import type { AnswerOnce } from '../../../application/base/answer-once.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { CheckReadiness } from '../../../application/service/check-readiness.ts';
import { servesHosts } from '../../../domain/access/served-hosts.ts';
import { CATALOGUE } from '../api/catalogue.ts';
import { openApiDocument } from '../api/openapi/document.ts';
import type { UseCases } from '../api/use-cases.ts';
import { apiRoutes, notFound } from './api-routes.ts';
import { bearer } from './bearer.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { FixedRoute, HttpContext, RequestState } from './context.ts';
import { errorReplies } from './error-replies.ts';
import { hostGuard } from './host-guard.ts';
import { close, httpListener, httpsListener, listen, type TlsIdentity } from './listeners.ts';
import { probes } from './probes.ts';
import type { RateLimits } from './rate-limit.ts';
import { referenceRoutes } from './reference/routes.ts';
import { type ObserveRequest, requestLog } from './request-log.ts';

export interface HttpServerDeps {
  readonly authenticate: Pick<Authenticate, 'execute'>;
  readonly readiness: Pick<CheckReadiness, 'execute'>;
  readonly useCases: UseCases;
  readonly answerOnce: Pick<AnswerOnce, 'execute'>;
  readonly logger: Logger;
  /** How many requests callers may send. */
  readonly limits: RateLimits;
  readonly connections: ConnectionLimits;
  /** Address ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** The service's own address, which examples show; `null`: not known. */
  readonly publicUrl: string | null;
  /** Names that the service answers to besides its own; with none and no public address, any beyond loopback. */
  readonly allowedHosts: readonly string[];
  /** Told of every request once it is answered. */
  readonly observe: ObserveRequest;
  /** Doors of other adapters, such as `/mcp`. */
  readonly mounts: readonly FixedRoute[];
  /** The pages for people: whatever no other door answers comes by here. */
  readonly pages: Middleware<RequestState>;
  /** Ends the replies that would go on for as long as somebody listens; called once the server is to stop. */
  readonly closing: () => void;
}

/** All doors, on as many addresses as are asked for. */
export interface HttpServer {
  /** Resolves once it listens; port 0 takes any free one. Throws what the operating system refuses, such as EADDRINUSE. */
  listen(host: string | null, port: number): Promise<AddressInfo>;
  /** The same over HTTPS. */
  listenSecurely(host: string | null, port: number, identity: TlsIdentity): Promise<AddressInfo>;
  /** Takes no more connections, lets requests under way finish, then cuts what is left. */
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

function createApp(deps: HttpServerDeps, isStopping: () => boolean): Koa<RequestState> {
  const app = new Koa<RequestState>();
  // Koa's own way of reporting: what reaches it could not be answered any more, such as a broken connection.
  app.on('error', (error: unknown) => deps.logger.debug('reply not sent', { error }));
  const document = openApiDocument(CATALOGUE, { version: deps.useCases.version, publicUrl: deps.publicUrl });
  const mounts = new Map(
    [...probes(deps.readiness, isStopping), ...referenceRoutes(document), ...deps.mounts].map((mount) => [
      mount.path,
      mount,
    ]),
  );
  // Without a query the address is the path; to find that out otherwise takes long.
  const fixedRouteFor = (ctx: HttpContext): FixedRoute | undefined =>
    mounts.get(ctx.req.url ?? '') ?? mounts.get(ctx.path);
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
