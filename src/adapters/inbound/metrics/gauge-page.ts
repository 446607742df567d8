import { Gauge, type Registry } from 'prom-client';
import type { Scrape } from '../../../application/service/scrape-gauges.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { type ContentType, newRegistry } from './exposition.ts';
import { ALWAYS, SERIES, SERVER_SERIES } from './series.ts';

type Samples = readonly (readonly [Readonly<Record<string, string>>, number])[];

/** The text of a scrape. The registry is made for it and goes with it: no number can outlive its reading. */
export async function gaugePage(scrape: Scrape, version: string, type: ContentType): Promise<string> {
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
