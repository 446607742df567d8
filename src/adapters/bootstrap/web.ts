import { fileURLToPath } from 'node:url';
import type { Container } from 'inversify';
import type { Middleware } from 'koa';
import type { Mount, RequestState } from '../http/context.ts';
import { allRoutes } from '../web/all-routes.ts';
import { EventStreams } from '../web/event-streams.ts';
import { loadStaticFiles } from '../web/static-files.ts';
import { type Guest, webDoor } from '../web/web-door.ts';
import { pick } from './binding.ts';
import type { Config } from './config.ts';
import { LICENCE, licences } from './licences.ts';
import { PORTS, USE_CASES } from './tokens.ts';

/** From src/ as from dist/. */
const ADAPTER = new URL('../../../bin/drover-mcp.mjs', import.meta.url);

export interface Web {
  readonly pages: Middleware<RequestState>;
  readonly mounts: readonly Mount[];
  /** Ends what pages follow. */
  readonly close: () => void;
}

/** The door for people, on the use cases of the container. */
export function openWeb(container: Container, config: Config, guest: Guest | null): Web {
  const files = loadStaticFiles();
  const useCases = pick(container, USE_CASES);
  const settings = {
    publicUrl: config.publicUrl,
    httpPort: config.httpPort,
    adapterPath: fileURLToPath(ADAPTER),
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
  const pages = webDoor({
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
