import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Gauge, type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';
import type { Scrape, ScrapeGauges } from '../../../application/service/scrape-gauges.ts';
import { isLoopback } from '../../../domain/access/served-hosts.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import type { FixedRoute, HttpContext } from '../http/context.ts';
import { refuseSecrets } from '../http/query.ts';
import { methodNotAllowed } from '../http/replies.ts';
import { isSecure } from '../http/transport-security.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import { ALWAYS, SERIES, SERVER_SERIES } from './series.ts';

const BEARER = /^bearer +(\S+)$/i;

/** Throws `unauthorized` for a request that may not read the numbers. */
type CheckAccess = (req: IncomingMessage) => void;

/**
 * With a token, requests carry it. Without one the numbers are open, but not to a network in the clear: only on this
 * machine, and over HTTPS.
 */
export function metricsAccess(token: string | null, trustedProxies: readonly string[]): CheckAccess {
  if (token === null) {
    return (req) => {
      if (isLoopback(req.socket.localAddress ?? '') || isSecure(req, trustedProxies)) return;
      throw new DomainError(
        'unauthorized',
        'Over plain HTTP from other machines the metrics need a token: set METRICS_TOKEN and send it, or use HTTPS.',
      );
    };
  }
  const expected = digest(token);
  return ({ headers }) => {
    const presented = [BEARER.exec(headers.authorization?.trim() ?? '')?.[1], headers['x-metrics-token']];
    const right = presented.some(
      // Digests have the same length, and reveal nothing about the secrets.
      (secret) => typeof secret === 'string' && timingSafeEqual(digest(secret), expected),
    );
    if (right) return;
    throw new DomainError(
      'unauthorized',
      'Send the value of METRICS_TOKEN as "Authorization: Bearer <token>" or as "X-Metrics-Token: <token>".',
    );
  };
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export interface MetricsDeps {
  readonly scrape: Pick<ScrapeGauges, 'execute'>;
  readonly process: Pick<ProcessMetrics, 'page'>;
  readonly version: string;
  /** `null`: open on this machine and over HTTPS. */
  readonly token: string | null;
  readonly trustedProxies: readonly string[];
}

/** `/metrics` for the fleet, `/metrics/process` for this process. */
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

/** The format that the client accepts; the first one if it accepts none, as other exporters do. */
function formatFor(ctx: HttpContext, types: readonly ContentType[]): ContentType {
  ctx.vary('Accept');
  const chosen = ctx.accepts([...types]);
  return types.find((type) => type === chosen) ?? PLAIN;
}

type Samples = readonly (readonly [Readonly<Record<string, string>>, number])[];

/** The text of a scrape. The registry is made for it and goes with it: no number can outlive its reading. */
async function gaugePage(scrape: Scrape, version: string, type: ContentType): Promise<string> {
  const registry = newRegistry(type);
  const { reading } = scrape;
  const { up, databaseUp, build, duration } = ALWAYS;
  add(registry, up, [], [[{}, 1]]);
  add(registry, databaseUp, [], [[{}, reading ? 1 : 0]]);
  add(registry, build, [build.label], [[{ [build.label]: version }, 1]]);
  if (reading) {
    for (const { label, read, ...named } of SERIES) {
      const samples: Samples = label
        ? label.values.map((value) => [{ [label.name]: value }, read(reading.gauges, value)])
        : [[{}, read(reading.gauges, '')]];
      add(registry, named, label ? [label.name] : [], samples);
    }
    for (const { labels, read, ...named } of reading.servers ? SERVER_SERIES : []) {
      add(registry, named, labels, (reading.servers ?? []).flatMap(read));
    }
  }
  add(registry, duration, [], [[{}, scrape.ms / SECOND]]);
  return registry.metrics();
}

function add(
  registry: Registry<ContentType>,
  { name, help }: { readonly name: string; readonly help: string },
  labelNames: readonly string[],
  samples: Samples,
): void {
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  for (const [labels, value] of samples) gauge.set(labels, value);
}

type ContentType = PrometheusContentType | OpenMetricsContentType;

const PLAIN = Registry.PROMETHEUS_CONTENT_TYPE;

/** The older format first: the default for clients without a preference. */
const CONTENT_TYPES: readonly ContentType[] = [PLAIN, Registry.OPENMETRICS_CONTENT_TYPE];

const newRegistry = (type: ContentType): Registry<ContentType> => {
  const registry = new Registry<ContentType>();
  registry.setContentType(type);
  return registry;
};
