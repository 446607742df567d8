import type { Container } from 'inversify';
import type { Middleware } from 'koa';
import type { FixedRoute, RequestState } from '../inbound/http/context.ts';
import { allRoutes } from '../inbound/web/all-routes.ts';
import { EventStreams } from '../inbound/web/event-streams.ts';
import { loadStaticFiles } from '../inbound/web/static-files.ts';
import { type Guest, webHandler } from '../inbound/web/web-handler.ts';
import { pick } from './binding.ts';
import type { Config } from './config.ts';
import { LICENCE, licences } from './licences.ts';
import { ADAPTER_PROGRAM, STATIC_FILES } from './program-root.ts';
import { PORTS, USE_CASES } from './tokens.ts';

export interface Web {
  readonly pages: Middleware<RequestState>;
  readonly mounts: readonly FixedRoute[];
  /** Ends what pages follow. */
  readonly close: () => void;
}

/** The door for people, on the use cases of the container. */
export function openWeb(container: Container, config: Config, guest: Guest | null): Web {
  const files = loadStaticFiles(STATIC_FILES);
  const useCases = pick(container, USE_CASES);
  const settings = {
    publicUrl: config.publicUrl,
    httpPort: config.httpPort,
    adapterPath: ADAPTER_PROGRAM,
    backupStaleHours: config.backupStaleHours,
    hasSshAgent: config.agentSocket !== null,
    dataDir: config.dataDir,
    trustedProxies: config.trustedProxies,
    licence: LICENCE,
    licences,
  };
  const [clock, logger] = [container.get(PORTS.clock), container.get(PORTS.log)];
  const routes = allRoutes({ ...useCases, clock, settings });
  const streams = new EventStreams({ clock, logger });
  const pages = webHandler({
    guest,
    routes,
    files,
    streams,
    resumeSession: useCases.resumeSession,
    ownAccount: useCases.ownAccount,
    clock,
    logger,
    listApprovals: useCases.listApprovals,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
  });
  return { pages, mounts: files.mounts, close: () => streams.close() };
}
