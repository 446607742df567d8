import type { ScrapeGauges } from '../../../application/service/scrape-gauges.ts';
import type { FixedRoute, HttpContext } from '../http/context.ts';
import { refuseSecrets } from '../http/query.ts';
import { methodNotAllowed } from '../http/replies.ts';
import { CONTENT_TYPES, type ContentType, PLAIN } from './exposition.ts';
import { gaugePage } from './gauge-page.ts';
import { metricsAccess } from './metrics-access.ts';
import type { ProcessMetrics } from './process-metrics.ts';

export interface MetricsDeps {
  readonly scrape: Pick<ScrapeGauges, 'execute'>;
  readonly process: Pick<ProcessMetrics, 'page'>;
  readonly version: string;
  /** `null`: open on this machine and over HTTPS. */
  readonly token: string | null;
  readonly trustedProxies: readonly string[];
}

/** `/metrics` for the state of the fleet, `/metrics/process` for that of this process. */
export function metricsRoutes(deps: MetricsDeps): readonly FixedRoute[] {
  const check = metricsAccess(deps.token, deps.trustedProxies);

  const page = (
    path: string,
    types: readonly ContentType[],
    text: (type: ContentType) => Promise<string>,
  ): FixedRoute => ({
    path,
    anyHost: deps.token !== null,
    async handle(ctx) {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx, ['GET', 'HEAD']);
      refuseSecrets(ctx.querystring);
      check(ctx.req);
      const type = formatFor(ctx, types);
      const body = await text(type);
      ctx.status = 200;
      ctx.set('Content-Type', type);
      ctx.body = body;
    },
  });

  return [
    page('/metrics', CONTENT_TYPES, async (type) =>
      gaugePage(await deps.scrape.execute(), deps.version, type),
    ),
    page('/metrics/process', [PLAIN], () => deps.process.page()),
  ];
}

/** What the client takes of these; whoever takes none gets the first all the same, as from others. */
function formatFor(ctx: HttpContext, types: readonly ContentType[]): ContentType {
  ctx.vary('Accept');
  const chosen = ctx.accepts([...types]);
  return types.find((type) => type === chosen) ?? PLAIN;
}
