import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from 'inversify';
import { demoGuest } from '../demo/demo-guest.ts';
import { DemoEngines, DemoHosts, onlyShown } from '../demo/demo-hosts.ts';
import { DemoClock } from '../demo/demo-ports.ts';
import { seedDemo } from '../demo/seed-demo.ts';
import type { Guest } from '../inbound/web/web-handler.ts';
import { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import { pick } from './binding.ts';
import type { Config } from './config.ts';
import { PORTS, USE_CASES } from './tokens.ts';

/** A place of its own for each start of the demonstration: nothing of it is kept, and nothing else is touched. */
export interface Demo {
  readonly config: Config;
  readonly hosts: DemoHosts;
  readonly engines: DemoEngines;
  readonly clock: DemoClock;
  /** Fills it; afterwards nothing happens in it by itself. */
  seed(container: Container): Promise<Guest>;
  remove(): Promise<void>;
}

export async function openDemo(config: Config): Promise<Demo> {
  const clock = new DemoClock(new SystemClock());
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-demo-'));
  return {
    config: { ...config, dataDir, databaseUrl: null, masterKeys: keyForOnce(), agentSocket: null },
    hosts: new DemoHosts(),
    engines: new DemoEngines(),
    clock,
    seed: (container) => seed(container, clock),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

const keyForOnce = (): readonly MasterKey[] => MasterKey.parseList(randomBytes(32).toString('base64')) ?? [];

async function seed(container: Container, clock: DemoClock): Promise<Guest> {
  const world = { ...pick(container, PORTS), ...pick(container, USE_CASES), clock };
  const user = await seedDemo(world, clock.now());
  await container.get(USE_CASES.sealAudit).execute(new AbortController().signal);
  return { visitor: (address) => demoGuest(user, address, clock.now()), refusal: onlyShown };
}

/** What the demonstration prints once it listens. */
export const demoWelcome = (port: number): string =>
  [
    `A demonstration of Drover listens on http://localhost:${port}.`,
    '  Its servers do not exist, nothing can be changed, and nothing of it is kept.',
    '  Nobody signs in. Tokens are switched off, and with them /api/v1 and /mcp.',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
