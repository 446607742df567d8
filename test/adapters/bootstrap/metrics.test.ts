import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/adapters/bootstrap/config.ts';
import { openCore } from '../../../src/adapters/bootstrap/core.ts';
import type { AllParts } from '../../../src/adapters/bootstrap/program.ts';
import { RefreshInventory } from '../../../src/application/fleet/refresh-inventory.ts';
import { ScrapeGauges } from '../../../src/application/service/scrape-gauges.ts';
import type { Server } from '../../../src/domain/fleet/server.ts';
import { RecordingLogger } from '../../fakes/recording-logger.ts';

/** Everything through which the service can reach a host. */
const TO_HOSTS = [
  'hosts',
  'keyMaker',
  'facts',
  'packageManagers',
  'runs',
  'engines',
  'jails',
  'opener',
  'runners',
] as const satisfies readonly (keyof AllParts)[];

test('a scrape makes nothing that could reach a host', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-metrics-'));
  const config = readConfig({ SERVICE_DATA_DIR: dataDir, METRICS_PER_SERVER: '1' }, () => '');
  const core = await openCore(config, new RecordingLogger());
  onTestFinished(async () => {
    await core.parts.database.close();
    await rm(dataDir, { recursive: true });
  });
  const made: unknown[] = [];
  for (const name of TO_HOSTS) {
    const get = (): never => {
      made.push(name);
      throw new Error('a scrape has no business with hosts');
    };
    Object.defineProperty(core.parts, name, { get });
  }
  const { reading } = await core.get(ScrapeGauges).execute();
  expect(reading?.gauges.servers.total).toBe(0);
  expect(reading?.servers).toEqual([]);
  expect(made).toEqual([]);
  // The trap works.
  const { signal } = new AbortController();
  await expect(core.get(RefreshInventory).execute({} as Server, signal)).rejects.toThrow(
    'no business with hosts',
  );
});
