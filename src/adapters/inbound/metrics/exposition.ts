import { type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';

export type ContentType = PrometheusContentType | OpenMetricsContentType;

export const PLAIN = Registry.PROMETHEUS_CONTENT_TYPE;

/** The older format first: it is what a client gets that does not care. */
export const CONTENT_TYPES: readonly ContentType[] = [PLAIN, Registry.OPENMETRICS_CONTENT_TYPE];

export const newRegistry = (type: ContentType): Registry<ContentType> => {
  const registry = new Registry<ContentType>();
  registry.setContentType(type);
  return registry;
};
