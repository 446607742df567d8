import { existsSync, readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import { z } from 'zod';
import type { FixedRoute, RequestState } from '../inbound/http/context.ts';
import { allRoutes } from '../inbound/web/all-routes.ts';
import { EventStreams } from '../inbound/web/event-streams.ts';
import { NavigationCounter } from '../inbound/web/navigation-counter.ts';
import { prepareOverview } from '../inbound/web/pages/fleet/overview.tsx';
import { loadStaticFiles, type StaticFiles } from '../inbound/web/static-files.ts';
import { type Guest, webHandler } from '../inbound/web/web-handler.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { PAGE_USE_CASES } from './page-use-cases.ts';
import { gather } from './program.ts';
import { ADAPTER_PROGRAM, PROGRAM_ROOT, STATIC_FILES } from './version.ts';

const Package = z.object({
  version: z.string(),
  license: z.string().default('see the package'),
  dependencies: z.record(z.string(), z.string()).default({}),
});

const packageAt = (path: string): z.infer<typeof Package> =>
  Package.parse(JSON.parse(readFileSync(new URL(`${path}package.json`, PROGRAM_ROOT), 'utf8')));

/** The licence of this program. */
const LICENCE = packageAt('').license;

/** The packages that this program names as needed, with their licences. Read when they are asked for. */
const licences = () =>
  Object.keys(packageAt('').dependencies)
    .filter(isHere)
    .map((name) => {
      const { version, license } = packageAt(`node_modules/${name}/`);
      return { name, version, licence: license };
    });

/** An image has none that only the build needs. */
const isHere = (name: string): boolean =>
  existsSync(new URL(`node_modules/${name}/package.json`, PROGRAM_ROOT));

export interface Web {
  readonly pages: Middleware<RequestState>;
  readonly mounts: readonly FixedRoute[];
  readonly files: StaticFiles;
  /** Ends the event streams of pages. */
  readonly close: () => void;
}

/** The web UI. */
export function openWeb(
  core: Core,
  config: Config,
  guest: Guest | null,
  files: StaticFiles = loadStaticFiles(STATIC_FILES),
): Web {
  const useCases = gather(core, PAGE_USE_CASES);
  const settings = {
    publicUrl: config.publicUrl,
    httpPort: config.httpPort,
    adapterPath: ADAPTER_PROGRAM,
    backupStaleHours: config.backupStaleHours,
    hasSshAgent: config.agentSocket !== null,
    // That of the demo is temporary.
    dataDir: guest === null ? config.dataDir : null,
    trustedProxies: config.trustedProxies,
    licence: LICENCE,
    licences,
  };
  const { clock, log: logger } = core.parts;
  const counts = new NavigationCounter({ ...useCases, clock });
  const pageDeps = { ...useCases, clock, settings, counts };
  const routes = allRoutes(pageDeps);
  prepareOverview(pageDeps, clock.now()).catch((error: unknown) => {
    logger.warn('the overview could not be prepared', { error: String(error) });
  });
  const streams = new EventStreams({ clock, logger });
  const pages = webHandler({
    guest,
    routes,
    files,
    streams,
    resumeSession: useCases.resumeSession,
    forwardAuth: useCases.forwardAuth,
    ownAccount: useCases.ownAccount,
    confirmPassword: useCases.confirmPassword,
    recordReads: useCases.recordReads,
    clock,
    logger,
    counts,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    backupStaleHours: config.backupStaleHours,
  });
  return { pages, mounts: files.mounts, files, close: () => streams.close() };
}
