import type { User } from '../../domain/access/user.ts';
import { type BackupSource, describeSource } from '../../domain/backups/backup-source.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { hostSelector } from '../../domain/fleet/host-selector.ts';
import { systemOf } from '../../domain/fleet/installed-package.ts';
import type { FeatureFlags, Server } from '../../domain/fleet/server.ts';
import { describeServer } from '../../domain/fleet/server-description.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { Chance } from './chance.ts';
import { activityAt } from './demo-activity.ts';
import { answered, look, watched } from './demo-alerts.ts';
import { agentOf, askedByAgent } from './demo-approvals.ts';
import { diskFacts, hostChangeRows, samplesBefore } from './demo-history.ts';
import { demoHostKey } from './demo-hosts.ts';
import { DemoJobs, type Step } from './demo-jobs.ts';
import { importAdvisories, installedOn } from './demo-packages.ts';
import { isGone, type PastRun, PastRuns } from './demo-past.ts';
import { ANN, type DemoPorts } from './demo-ports.ts';
import { type ScheduleTimes, seedSchedules } from './demo-schedules.ts';
import { foundServer } from './demo-servers.ts';
import { type DemoSettings, seedSettings } from './demo-settings.ts';
import { snapshotRows, snapshotsOf } from './demo-snapshots.ts';
import { deploymentsOf } from './demo-templates.ts';
import { KINDS, type ServerKind } from './fleet.ts';

/**
 * Fills an empty database with an imaginary fleet, and its history up to now. It is the same at every start except
 * for the time. Returns the user of all visitors.
 */
export async function seedDemo(ports: DemoPorts, now: Instant): Promise<User> {
  const chance = new Chance(20_261_120);
  const settings = await seedSettings(ports, now);
  const schedules = await seedSchedules(ports, now);
  const nights = schedules[0]?.slots ?? [];
  const servers: Server[] = [];
  for (const kind of KINDS) {
    for (let number = 1; number <= kind.count; number += 1)
      servers.push(await addServer(ports, { kind, number, chance, now, nights, settings }));
  }
  await importAdvisories(ports, [...new Map(KINDS.map(({ system }) => [system.packages, system])).values()]);
  const runs = new PastRuns(ports, runsOf(schedules, servers));
  const jobs = new DemoJobs(ports, chance);
  const past = [
    ...pastOf(ports, { servers, jobs, chance, now }),
    ...deploymentsOf(ports, { servers, jobs, now }),
  ];
  for (const { at, run } of past.toSorted((one, other) => one.at - other.at)) {
    await runs.insertUntil(at);
    ports.clock.setTo(at);
    await run();
    await jobs.workOff(at);
  }
  await runs.insertUntil(now);
  await learnChecks(ports);
  const agent = await agentOf(ports, now);
  await watched(ports, servers, chance, now);
  await askedByAgent(ports, { agent, servers, jobs, now, look: (at) => look(ports, chance, at) });
  await underWay(jobs, servers, now);
  await answered(ports, now);
  ports.clock.useRealTime();
  return settings.guest;
}

/** All runs of schedules, oldest first. */
const runsOf = (schedules: readonly ScheduleTimes[], servers: readonly Server[]): readonly PastRun[] =>
  schedules
    .flatMap(({ id, name, jobType, selector, slots }) => {
      const chosen = servers.filter(
        ({ tags, features }) =>
          (selector.tags?.some((tag) => tags.includes(tag)) ?? true) &&
          features[FLAG_OF[jobType] ?? 'backup'],
      );
      return slots.map((at) => ({
        scheduleId: id,
        scheduleName: name,
        jobType,
        selector: hostSelector(selector),
        at,
        servers: chosen,
      }));
    })
    .toSorted((one, other) => one.at - other.at);

const FLAG_OF: Readonly<Partial<Record<JobType, keyof FeatureFlags>>> = {
  os_update_check: 'os_patch',
  os_patch: 'os_patch',
};

/** The requests of users and agents. */
function pastOf(
  ports: DemoPorts,
  {
    servers,
    jobs,
    chance,
    now,
  }: {
    readonly servers: readonly Server[];
    readonly jobs: DemoJobs;
    readonly chance: Chance;
    readonly now: Instant;
  },
): readonly Step[] {
  const patched = servers
    .filter(({ features }) => features.os_patch && chance.happens(0.3))
    .map((server) => {
      const at = now - chance.between(30, 90) * HOUR - chance.between(0, 59) * MINUTE;
      const by = chance.pick(['user:ann', 'user:bert', 'token:mcp-patcher']);
      return { at, run: () => jobs.ask({ server, type: 'os_patch', at, by }) };
    });
  const web = servers.find(({ name }) => name === 'web-02');
  const planned = web ? [dryRun(jobs, web, now - 35 * MINUTE)] : [];
  const batches = [
    { at: now - 27 * HOUR, tags: ['app'], jobType: 'container_patch', dryRun: false },
    { at: now - 50 * MINUTE, tags: ['staging'], jobType: 'os_patch', dryRun: true },
  ] as const;
  const inBatches = batches.map(({ at, tags, ...asked }) => ({
    at,
    run: () =>
      ports.startBatch.execute(ANN, {
        ...asked,
        selector: {
          ids: servers.filter((each) => hasOne(each, tags) && !isGone(each, at)).map(({ id }) => id),
        },
        bounds: { maxParallel: 4, canary: 2, stopAfterFailures: 1 },
        outsideWindow: true,
      }),
  }));
  return [...patched, ...planned, ...inBatches];
}

const hasOne = (server: Server, wanted: readonly string[]): boolean =>
  wanted.some((tag) => server.tags.includes(tag));

const dryRun = (jobs: DemoJobs, server: Server, at: Instant): Step => ({
  at,
  run: () => jobs.ask({ server, type: 'os_patch', at, by: 'user:ann', dryRun: true }),
});

/** When each server's updates were checked: by its last job that succeeded. */
async function learnChecks({ jobs, servers }: DemoPorts): Promise<void> {
  const checked = { jobType: 'os_update_check', status: 'success' } as const;
  const { items } = await jobs.list(checked, { limit: 500, offset: 0 });
  const latest = new Map(items.toReversed().map(({ serverId, finishedAt }) => [serverId, finishedAt]));
  for (const [id, lastOsCheckAt] of latest) await servers.learn(id, { lastOsCheckAt });
}

async function addServer(
  ports: DemoPorts,
  {
    kind,
    number,
    chance,
    now,
    nights,
    settings,
  }: {
    readonly kind: ServerKind;
    readonly number: number;
    readonly chance: Chance;
    readonly now: Instant;
    /** When backups were due. */
    readonly nights: readonly Instant[];
    readonly settings: DemoSettings;
  },
): Promise<Server> {
  const name = `${kind.name}-${String(number).padStart(2, '0')}`;
  const at = now - chance.between(20, 85) * DAY;
  const { id } = await ports.servers.add(
    describeServer({
      name,
      connection: 'ssh',
      hostname: `${name}.example.org`,
      sshKeyId: settings.sshKeyId,
      tags: kind.tags,
      features: kind.features,
      composeDirs: kind.features.docker ? ['/srv/compose'] : [],
      ...(kind.jail === undefined ? {} : { jail: kind.jail }),
    }),
    at,
    (server) => ({ audit: [auditEntry(ANN, at, 'server.add', `server:${server.id}`)] }),
  );
  await ports.servers.change(id, { address: { hostKey: demoHostKey(name) } }, at, () => ({}));
  const sources: BackupSource[] = [];
  const found = foundServer(kind, name, chance, { now, nights });
  for (const [source, paths] of Object.entries(kind.sources)) {
    const repositoryId = source === OFFSITE ? settings.repositoryId : null;
    const added = await ports.sources.add(
      describeSource({ serverId: id, name: source, paths, repositoryId, at }),
      () => ({}),
    );
    sources.push(added);
  }
  const past = samplesBefore(found, { id, now, tags: kind.tags });
  await ports.inventories.addSamples(id, past);
  const inventory = { ...found.inventory, activity: activityAt(id, found.inventory, found.inventory.at) };
  await ports.inventories.save(id, inventory, { ...found.facts, ...diskFacts(past, found) });
  const server = await ports.servers.find(id);
  if (!server) throw new Error(`${name} of the demonstration is not there`);
  const updates = found.inventory.updates ?? [];
  await ports.packages.save(
    id,
    systemOf(kind.system.id, kind.system.version),
    installedOn(kind.system, updates),
  );
  const changes = hostChangeRows(id, kind, updates, nights);
  if (changes.length > 0) await ports.insert('host_changes', changes);
  const snapshots = snapshotsOf(server, sources, nights);
  const older = snapshots.length - sources.length;
  await ports.insert('snapshots', snapshotRows(snapshots.slice(0, older), server));
  // Through the port, which also records the last success of their sources.
  for (const each of snapshots.slice(older)) await ports.snapshots.add(each);
  return server;
}

/** Database dumps are stored offsite as well. */
const OFFSITE = 'dumps';

/** Running jobs at the start of the demo, which continues them. */
async function underWay(jobs: DemoJobs, servers: readonly Server[], now: Instant): Promise<void> {
  const reachable = servers.filter(({ facts }) => facts.contactFailedSince === null);
  const backup = reachable.find(({ name }) => name.startsWith('nas-'));
  const patch = reachable.find(
    ({ name, facts }) => name.startsWith('app-') && (facts.osUpdatesCount ?? 0) > 0,
  );
  for (const [server, type, ago, step] of [
    [backup, 'backup', 50 * SECOND, 'Connecting'],
    [patch, 'os_patch', 20 * SECOND, 'Refreshing the package lists'],
  ] as const) {
    if (server) await jobs.begin({ server, type, at: now - ago, by: 'user:ann' }, step);
  }
}
