import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IssueToken } from '../../application/access/issue-token.ts';
import { ManageSso } from '../../application/access/manage-sso.ts';
import { ManageUsers } from '../../application/access/manage-users.ts';
import { AdvanceBatches } from '../../application/automation/advance-batches.ts';
import { ManageWindows } from '../../application/automation/manage-windows.ts';
import { PatchPolicies } from '../../application/automation/patch-policies.ts';
import { RunDueSchedules } from '../../application/automation/run-due-schedules.ts';
import { StartBatch } from '../../application/automation/start-batch.ts';
import { ManageRepositories } from '../../application/backups/manage-repositories.ts';
import { ManageTemplates } from '../../application/compose/manage-templates.ts';
import { HandOutEvents } from '../../application/events/hand-out-events.ts';
import { ManageAlerts } from '../../application/events/manage-alerts.ts';
import { ManageChannels } from '../../application/events/manage-channels.ts';
import { ManageWebhooks } from '../../application/events/manage-webhooks.ts';
import { SealAudit } from '../../application/events/seal-audit.ts';
import { ManageKeys } from '../../application/fleet/manage-keys.ts';
import { WatchConditions } from '../../application/fleet/watch-conditions.ts';
import type { Logger } from '../../application/ports/base/logger.ts';
import type { User } from '../../domain/access/user.ts';
import { type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import { demoGuest, isSimulated, withoutGuests } from '../demo/demo-guest.ts';
import { onlyShown } from '../demo/demo-hosts.ts';
import { DemoClock } from '../demo/demo-ports.ts';
import { seedDemo } from '../demo/seed-demo.ts';
import type { StaticFiles } from '../inbound/web/static-files.ts';
import type { Guest } from '../inbound/web/web-handler.ts';
import { MasterKey } from '../outbound/storage/secrets/master-key.ts';
import { SQLITE_FILE } from '../outbound/storage/sql/database.ts';
import { SystemClock } from '../outbound/system/system-clock.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { type DemoCopy, DemoSessions } from './demo-sessions.ts';
import { demoLoops, simulated } from './demo-simulation.ts';
import type { MadeUp } from './modules/hosts.ts';
import { gather } from './program.ts';
import { openWeb } from './web.ts';

/** How long a job takes: for a visitor, and while all visitors only look. */
const VISITOR_PACE_MS = 8 * SECOND;
const SHARED_PACE_MS = 4 * MINUTE;

/** A separate directory for each start of the demo: nothing of it is kept, and nothing else is touched. */
export interface Demo extends MadeUp {
  readonly config: Config;
  /** Fills the database that all visitors see, until they change something. */
  seed(core: Core): Promise<Guest>;
  /** Runs its jobs. */
  start(core: Core): { stop(): Promise<void> };
  /** Gives each visitor who changes something a copy of the database. */
  sessions(shared: Core, guest: Guest, log: Logger): DemoSessions;
  remove(): Promise<void>;
}

export async function openDemo(config: Config): Promise<Demo> {
  const clock = new DemoClock(new SystemClock());
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-demo-'));
  const own: Config = {
    ...config,
    dataDir,
    databaseUrl: null,
    masterKeys: keyForOnce(),
    oidcIssuer: null,
    forwardAuth: false,
    agentSocket: null,
    fileLimitMib: 1,
  };
  return {
    ...simulated({ clock, paceMs: SHARED_PACE_MS }),
    config: own,
    clock,
    audit: withoutGuests,
    seed: (core) => seed(core, clock),
    start: (core) => demoLoops(core, { keepsBusy: true, startedAt: clock.now() }),
    sessions: (shared, guest, log) =>
      new DemoSessions({ open: (secret, files) => visit({ shared, own, guest, secret, files, log }) }),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

const keyForOnce = (): readonly MasterKey[] => MasterKey.parseList(randomBytes(32).toString('base64')) ?? [];

const CALLED = {
  manageUsers: ManageUsers,
  manageKeys: ManageKeys,
  manageRepositories: ManageRepositories,
  manageWebhooks: ManageWebhooks,
  manageChannels: ManageChannels,
  manageSso: ManageSso,
  manageWindows: ManageWindows,
  patchPolicies: PatchPolicies,
  manageTemplates: ManageTemplates,
  manageAlerts: ManageAlerts,
  issueToken: IssueToken,
  startBatch: StartBatch,
  advanceBatches: AdvanceBatches,
  runDueSchedules: RunDueSchedules,
  handOutEvents: HandOutEvents,
};

/** The clock of the seeding is set to times of the past, which is no reason for a warning. */
const DELETES_NOTHING = { holdsBack: () => Promise.resolve(true) };

async function seed(core: Core, clock: DemoClock): Promise<Guest> {
  const { database } = core.parts;
  const world = {
    ...core.parts,
    ...gather(core, CALLED),
    watchConditions: new WatchConditions({ ...core.parts, clockWatch: DELETES_NOTHING }),
    clock,
    insert: (table: string, rows: readonly object[]) =>
      database.transaction((trx) => trx.batchInsert(table, rows as object[], ROWS_AT_ONCE)).then(() => {}),
  };
  const user = await seedDemo(world, clock.now());
  await database.transaction((trx) => trx.raw(SORT_AUDIT));
  await core.get(SealAudit).execute(new AbortController().signal);
  return guestAs(user, core, null);
}

/** Parts of the past are made up one after another: this numbers their entries in the order of their times. */
const SORT_AUDIT = `
  UPDATE audit_entries SET id = last + place
  FROM (
    SELECT id AS drawn, max(id) OVER () AS last, row_number() OVER (ORDER BY at, id) AS place
    FROM audit_entries
  )
  WHERE id = drawn`;

/** SQLite takes 32,766 values in one statement. */
const ROWS_AT_ONCE = 400;

const guestAs = (user: User, { parts: { clock } }: Core, secret: string | null): Guest => ({
  visitor: (address) => demoGuest(user, address, clock.now()),
  admit: (path) => {
    if (!isSimulated(path)) throw onlyShown();
  },
  secret,
});

interface Visit {
  readonly shared: Core;
  readonly own: Config;
  readonly guest: Guest;
  readonly secret: string;
  readonly files: StaticFiles;
  readonly log: Logger;
}

/** Copies the shared database, and opens the service on the copy. */
async function visit({ shared, own, guest, secret, files, log }: Visit): Promise<DemoCopy> {
  const dataDir = await mkdtemp(join(own.dataDir, 'visitor-'));
  const discard = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    await copyFile(await shared.parts.serviceData.writeDatabaseCopy(), join(dataDir, SQLITE_FILE));
    const config = { ...own, dataDir };
    const clock = new SystemClock();
    const core = await openCore(config, log, simulated({ clock, paceMs: VISITOR_PACE_MS }));
    const { user } = guest.visitor('');
    const web = openWeb(core, config, guestAs(user, core, secret), files);
    const startedAt = await takeOver(core, shared.parts.owner);
    const loops = demoLoops(core, { keepsBusy: false, startedAt });
    return {
      pages: web.pages,
      close: async () => {
        web.close();
        await loops.stop();
        await core.close();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The copy goes on with the running jobs of the shared database, as the same service. Returns when that started. */
async function takeOver({ parts }: Core, former: string): Promise<Instant> {
  const { queue, replicas, clock } = parts;
  const at = clock.now();
  await queue.sweep({ deadOwners: [former], limit: 100, at, record: () => ({}) });
  const replica = (await replicas.list()).find(({ owner }) => owner === former);
  await replicas.leave(former);
  return replica?.startedAt ?? at;
}

/** What the demo prints once it listens. */
export const demoWelcome = (port: number): string =>
  [
    `The Drover demo listens on http://localhost:${port}.`,
    '  Its servers are simulated. Each visitor can try changes; nothing is saved.',
    '  No sign-in. API tokens are switched off, and with them /api/v1 and /mcp.',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
