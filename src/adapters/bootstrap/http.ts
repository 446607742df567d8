import { Authenticate } from '../../application/access/authenticate.ts';
import { AnswerOnce } from '../../application/base/answer-once.ts';
import { CheckReadiness } from '../../application/service/check-readiness.ts';
import { ScrapeGauges } from '../../application/service/scrape-gauges.ts';
import { HEADERS_TIMEOUT } from '../inbound/http/connection-limits.ts';
import { docsSite } from '../inbound/http/docs-site.ts';
import { createHttpServer, type HttpServer } from '../inbound/http/http-server.ts';
import { RateLimits } from '../inbound/http/rate-limit.ts';
import { mcpRoute } from '../inbound/mcp/mcp-route.ts';
import { metricsRoutes } from '../inbound/metrics/metrics-routes.ts';
import type { Guest } from '../inbound/web/web-handler.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { DemoSessions } from './demo-sessions.ts';
import { DOCS_SITE } from './version.ts';
import { openWeb } from './web.ts';

/** The interfaces for machines. */
export function openHttp(
  core: Core,
  config: Config,
  demo: { readonly guest: Guest; readonly sessions: DemoSessions } | null = null,
): HttpServer {
  const web = openWeb(core, config, demo?.guest ?? null);
  const pages = demo?.sessions.pages(web.pages, web.files) ?? web.pages;
  const docs = docsSite(DOCS_SITE);
  const { version, log: logger, processMetrics: metrics } = core.parts;
  const useCases = { get: core.get, version };
  const authenticate = core.get(Authenticate);
  const limits = new RateLimits({ perToken: config.ratePerToken, perAddress: config.ratePerAddress });
  return createHttpServer({
    authenticate,
    readiness: core.get(CheckReadiness),
    useCases,
    answerOnce: core.get(AnswerOnce),
    logger,
    limits,
    connections: {
      most: config.mostConnections,
      mostPerAddress: config.mostConnectionsPerAddress,
      headersTimeout: HEADERS_TIMEOUT,
    },
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    allowedHosts: config.allowedHosts,
    observe: (route, status, ms) => metrics.request(route, status, ms),
    mounts: [
      mcpRoute({
        answerOnce: core.get(AnswerOnce),
        authenticate,
        limits,
        useCases,
        logger,
        publicUrl: config.publicUrl,
        confirmChanges: config.confirmChanges,
        observe: (tool, status, ms) => metrics.tool(tool, status, ms),
      }),
      ...metricsRoutes({
        scrape: core.get(ScrapeGauges),
        process: metrics,
        version,
        token: config.metricsToken?.reveal() ?? null,
        trustedProxies: config.trustedProxies,
      }),
      ...web.mounts,
    ],
    pages: (ctx, next) => docs(ctx, async () => pages(ctx, next)),
    closing: web.close,
  });
}
