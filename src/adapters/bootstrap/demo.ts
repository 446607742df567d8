import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IssueToken } from '../../application/access/issue-token.ts';
import { ManageUsers } from '../../application/access/manage-users.ts';
import { AdvanceBatches } from '../../application/automation/advance-batches.ts';
import { ManageWindows } from '../../application/automation/manage-windows.ts';
import { RunDueSchedules } from '../../application/automation/run-due-schedules.ts';
import { StartBatch } from '../../application/automation/start-batch.ts';
import { ManageRepositories } from '../../application/backups/manage-repositories.ts';
import { ManageTemplates } from '../../application/compose/manage-templates.ts';
import { HandOutEvents } from '../../application/events/hand-out-events.ts';
import { ManageAlerts } from '../../application/events/manage-alerts.ts';
import { ManageWebhooks } from '../../application/events/manage-webhooks.ts';
import { SealAudit } from '../../application/events/seal-audit.ts';
import { ManageKeys } from '../../application/fleet/manage-keys.ts';
import { WatchConditions } from '../../application/fleet/watch-conditions.ts';
import { demoGuest } from '../demo/demo-guest.ts';
import { DemoEngines, DemoHosts, onlyShown } from '../demo/demo-hosts.ts';
import { DemoClock } from '../demo/demo-ports.ts';
import { seedDemo } from '../demo/seed-demo.ts';
import type { Guest } from '../inbound/web/web-handler.ts';
import { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { gather } from './program.ts';

/** A separate directory for each start of the demo: nothing of it is kept, and nothing else is touched. */
export interface Demo {
  readonly config: Config;
  readonly hosts: DemoHosts;
  readonly engines: DemoEngines;
  readonly clock: DemoClock;
  /** Fills it; afterwards nothing changes automatically. */
  seed(core: Core): Promise<Guest>;
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
    seed: (core) => seed(core, clock),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

const keyForOnce = (): readonly MasterKey[] => MasterKey.parseList(randomBytes(32).toString('base64')) ?? [];

const CALLED = {
  manageUsers: ManageUsers,
  manageKeys: ManageKeys,
  manageRepositories: ManageRepositories,
  manageWebhooks: ManageWebhooks,
  manageWindows: ManageWindows,
  manageTemplates: ManageTemplates,
  manageAlerts: ManageAlerts,
  issueToken: IssueToken,
  startBatch: StartBatch,
  advanceBatches: AdvanceBatches,
  runDueSchedules: RunDueSchedules,
  handOutEvents: HandOutEvents,
  watchConditions: WatchConditions,
};

async function seed(core: Core, clock: DemoClock): Promise<Guest> {
  const world = { ...core.parts, ...gather(core, CALLED), clock };
  const user = await seedDemo(world, clock.now());
  await core.get(SealAudit).execute(new AbortController().signal);
  return { visitor: (address) => demoGuest(user, address, clock.now()), refusal: onlyShown };
}

/** What the demo prints once it listens. */
export const demoWelcome = (port: number): string =>
  [
    `A demonstration of Drover listens on http://localhost:${port}.`,
    '  Its servers are simulated; nothing can be changed, and nothing is saved.',
    '  No sign-in. API tokens are switched off, and with them /api/v1 and /mcp.',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
