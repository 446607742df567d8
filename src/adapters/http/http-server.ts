import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import type { AnswerOnce } from '../../application/answer-once.ts';
import type { Authenticate } from '../../application/authenticate.ts';
import type { CheckReadiness } from '../../application/check-readiness.ts';
import type { Logger } from '../../application/ports/logger.ts';
import { CATALOGUE } from '../catalogue/catalogue.ts';
import { openApiDocument } from '../catalogue/openapi/document.ts';
import type { UseCases } from '../catalogue/use-cases.ts';
import { apiRoutes, notFound } from './api-routes.ts';
import { bearer } from './bearer.ts';
import type { Mount, RequestState } from './context.ts';
import { errorReplies } from './error-replies.ts';
import { hostGuard } from './host-guard.ts';
import { probes } from './probes.ts';
import { referenceMounts } from './reference/mounts.ts';
import { type ObserveRequest, requestLog } from './request-log.ts';

/** Times in milliseconds, sizes in bytes. */
const HEADERS_TIMEOUT = 10_000;
/** For an upload of half a gigabyte over a slow line; other bodies have a shorter limit of their own. */
const REQUEST_TIMEOUT = 3_600_000;
/** Longer than the usual minute of proxies, so that it is never we who close a connection that they are about to use. */
const KEEP_ALIVE_TIMEOUT = 75_000;
const LARGEST_HEADERS = 16_384;
/** How long requests under way may take after a stop was asked for. */
const STOP_GRACE = 10_000;
const SWEEP_EVERY = 50;

export interface HttpServerDeps {
  readonly authenticate: Pick<Authenticate, 'execute'>;
  readonly readiness: Pick<CheckReadiness, 'execute'>;
  readonly useCases: UseCases;
  readonly answerOnce: Pick<AnswerOnce, 'execute'>;
  readonly logger: Logger;
  /** Address ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** The service's own address, which examples show; `null`: not known. */
  readonly publicUrl: string | null;
  /** Names that the service answers to; empty: any. */
  readonly allowedHosts: readonly string[];
  /** Told of every request once it is answered. */
  readonly observe: ObserveRequest;
  /** Doors of other adapters, such as `/mcp`. */
  readonly mounts: readonly Mount[];
  /** The pages for people: whatever no other door answers comes by here. */
  readonly pages: Middleware<RequestState>;
}

export interface HttpServer {
  /** Resolves once it listens; port 0 takes any free one. Throws what the operating system refuses, such as EADDRINUSE. */
  listen(host: string | null, port: number): Promise<AddressInfo>;
  /** Takes no more connections, lets requests under way finish, then cuts what is left. */
  close(): Promise<void>;
}

export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const handle = createApp(deps).callback();
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      maxHeaderSize: LARGEST_HEADERS,
    },
    (req, res) => void handle(req, res),
  );
  return {
    listen: (host, port) => listen(server, host, port),
    close: () => close(server),
  };
}

function createApp(deps: HttpServerDeps): Koa<RequestState> {
  const app = new Koa<RequestState>();
  // Koa's own way of reporting: what reaches it could not be answered any more, such as a broken connection.
  app.on('error', (error: unknown) => deps.logger.debug('reply not sent', { error }));
  const document = openApiDocument(CATALOGUE, { version: deps.useCases.version, publicUrl: deps.publicUrl });
  const mounts = new Map(
    [...probes(deps.readiness), ...referenceMounts(document), ...deps.mounts].map((mount) => [
      mount.path,
      mount,
    ]),
  );
  app.use(requestLog(deps.logger, deps.trustedProxies, deps.observe));
  app.use(errorReplies(deps.logger));
  app.use(hostGuard(deps.allowedHosts));
  app.use((ctx, next) => {
    // Without a query the address is the path; to find that out otherwise takes long.
    const mount = mounts.get(ctx.req.url ?? '') ?? mounts.get(ctx.path);
    if (!mount) return next();
    ctx.state.route = mount.path;
    return mount.handle(ctx);
  });
  app.use(apiRoutes(CATALOGUE, deps.useCases, bearer(deps.authenticate), deps.answerOnce));
  app.use(deps.pages);
  app.use(notFound);
  return app;
}

function listen(server: Server, host: string | null, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === null ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    // Node leaves a kept connection open when its last reply is out: they are looked for until none is left.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY);
    const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
