import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { openCore } from '../../../src/adapters/bootstrap/core.ts';
import { PORTS, SHARED, USE_CASES } from '../../../src/adapters/bootstrap/tokens.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

/** Everything through which the service can reach a host. */
const TO_HOSTS = [
  PORTS.hosts,
  PORTS.keyMaker,
  PORTS.facts,
  PORTS.packageManagers,
  PORTS.detachedRuns,
  PORTS.engines,
  PORTS.jails,
  SHARED.opener,
  SHARED.runners,
];

test('a scrape makes nothing that could reach a host', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-metrics-'));
  const config = readConfig({ SERVICE_DATA_DIR: dataDir, METRICS_PER_SERVER: '1' }, () => '');
  const { container } = await openCore(config, new RecordingLogger());
  onTestFinished(async () => {
    await container.get(PORTS.database).close();
    await rm(dataDir, { recursive: true });
  });
  const made: unknown[] = [];
  for (const port of TO_HOSTS) {
    container.unbind(port);
    container.bind<unknown>(port).toDynamicValue(() => {
      made.push(port);
      throw new Error('a scrape has no business with hosts');
    });
  }
  const { reading } = await container.get(USE_CASES.scrapeGauges).execute();
  expect(reading?.gauges.servers.total).toBe(0);
  expect(reading?.servers).toEqual([]);
  expect(made).toEqual([]);
  // The trap works.
  expect(() => container.get(USE_CASES.refreshInventory)).toThrow('no business with hosts');
});
