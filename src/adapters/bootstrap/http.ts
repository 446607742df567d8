import type { Container } from 'inversify';
import type { UseCases } from '../inbound/api/use-cases.ts';
import { HEADERS_TIMEOUT } from '../inbound/http/connection-limits.ts';
import { createHttpServer, type HttpServer } from '../inbound/http/http-server.ts';
import { RateLimits } from '../inbound/http/rate-limit.ts';
import { mcpRoute } from '../inbound/mcp/mcp-route.ts';
import { metricsRoutes } from '../inbound/metrics/metrics-routes.ts';
import type { Guest } from '../inbound/web/web-handler.ts';
import { pick } from './binding.ts';
import type { Config } from './config.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from './tokens.ts';
import { openWeb } from './web.ts';

/** The doors for machines, on the use cases of the container. */
export function openHttp(container: Container, config: Config, guest: Guest | null = null): HttpServer {
  const web = openWeb(container, config, guest);
  const useCases: UseCases = pick(container, { ...USE_CASES, version: VALUES.version });
  const authenticate = container.get(USE_CASES.authenticate);
  const logger = container.get(PORTS.log);
  const metrics = container.get(SHARED.processMetrics);
  const limits = new RateLimits({ perToken: config.ratePerToken, perAddress: config.ratePerAddress });
  return createHttpServer({
    authenticate,
    readiness: container.get(USE_CASES.checkReadiness),
    useCases,
    answerOnce: container.get(USE_CASES.answerOnce),
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
        authenticate,
        limits,
        useCases,
        logger,
        publicUrl: config.publicUrl,
        observe: (tool, status, ms) => metrics.tool(tool, status, ms),
      }),
      ...metricsRoutes({
        scrape: container.get(USE_CASES.scrapeGauges),
        process: metrics,
        version: container.get(VALUES.version),
        token: config.metricsToken?.reveal() ?? null,
        trustedProxies: config.trustedProxies,
      }),
      ...web.mounts,
    ],
    pages: web.pages,
    closing: web.close,
  });
}
