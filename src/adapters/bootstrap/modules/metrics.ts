import type { Container } from 'inversify';
import { ScrapeGauges } from '../../../application/service/scrape-gauges.ts';
import { ProcessMetrics } from '../../inbound/metrics/process-metrics.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

/** What others watch. */
export function bindMetrics(container: Container): void {
  bindClass(container, USE_CASES.scrapeGauges, ScrapeGauges, {
    source: PORTS.gauges,
    clock: PORTS.clock,
    log: PORTS.log,
    backupStaleHours: VALUES.backupStaleHours,
    perServer: VALUES.metricsPerServer,
  });
  container
    .bind(SHARED.processMetrics)
    .toResolvedValue((database) => new ProcessMetrics({ pool: () => database.pool() }), [PORTS.database])
    .inSingletonScope();
}
