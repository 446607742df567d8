import type { Container } from 'inversify';
import type { UseCases } from '../catalogue/use-cases.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import { mcpMount } from '../mcp/mcp-mount.ts';
import { pick } from './binding.ts';
import type { Config } from './config.ts';
import { PORTS, USE_CASES, VALUES } from './tokens.ts';

/** The doors for machines, on the use cases of the container. */
export function openHttp(container: Container, config: Config): HttpServer {
  const useCases: UseCases = pick(container, { ...USE_CASES, version: VALUES.version });
  const authenticate = container.get(USE_CASES.authenticate);
  const logger = container.get(PORTS.log);
  return createHttpServer({
    authenticate,
    readiness: container.get(USE_CASES.checkReadiness),
    useCases,
    answerOnce: container.get(USE_CASES.answerOnce),
    logger,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    allowedHosts: config.allowedHosts,
    mounts: [mcpMount({ authenticate, useCases, logger, publicUrl: config.publicUrl })],
  });
}
