import { createHash } from 'node:crypto';
import type { User } from '../../domain/access/user.ts';
import { describeSource } from '../../domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../domain/backups/snapshot.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../domain/base/instant.ts';
import { withoutEnd } from '../../domain/base/without-end.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { PinnedHostKey, Server } from '../../domain/fleet/server.ts';
import { describeServer } from '../../domain/fleet/server-description.ts';
import { Chance } from './chance.ts';
import { askedByAgent } from './demo-approvals.ts';
import { diskFacts, samplesBefore } from './demo-history.ts';
import { DemoJobs, deliver } from './demo-jobs.ts';
import { ANN, type DemoPorts, NEVER } from './demo-ports.ts';
import { seedSchedules } from './demo-schedules.ts';
import { foundServer } from './demo-servers.ts';
import { type DemoSettings, seedSettings } from './demo-settings.ts';
import { KINDS, type ServerKind } from './fleet.ts';

/** Snapshots of a source, one a day. */
const SNAPSHOTS = 4;

/**
 * Fills an empty database with an imaginary fleet, and its history up to now. It is the same at every start except
 * for the time. Returns the user of all visitors.
 */
export async function seedDemo(world: DemoPorts, now: Instant): Promise<User> {
  const chance = new Chance(20_261_120);
  const settings = await seedSettings(world, now);
  const times = await seedSchedules(world, now);
  const servers: Server[] = [];
  for (const kind of KINDS) {
    for (let number = 1; number <= kind.count; number += 1)
      servers.push(await addServer(world, { kind, number, chance, now, night: times.night, settings }));
  }
  const jobs = new DemoJobs(world, chance);
  for (const { at, run } of pastOf(world, { servers, jobs, chance, now, slots: times.slots })) {
    world.clock.setTo(at);
    await run();
    await jobs.workOff(at);
  }
  await deployed(world, servers, now);
  for (const ago of [5 * HOUR, 3 * HOUR, 90 * MINUTE]) await look(world, chance, now - ago);
  await underWay(jobs, servers, now);
  await askedByAgent(world, { servers, jobs, now });
  await look(world, chance, now - 3 * MINUTE);
  await answered(world, now);
  world.clock.useRealTime();
  return settings.guest;
}

interface Step {
  readonly at: Instant;
  readonly run: () => Promise<unknown>;
}

/** The requests of the last days, from schedules and users, oldest first. */
function pastOf(
  world: DemoPorts,
  {
    servers,
    jobs,
    chance,
    now,
    slots,
  }: {
    readonly servers: readonly Server[];
    readonly jobs: DemoJobs;
    readonly chance: Chance;
    readonly now: Instant;
    /** When schedules were due. */
    readonly slots: readonly Instant[];
  },
): readonly Step[] {
  const scheduled = slots.map((at) => ({ at, run: () => world.runDueSchedules.execute(NEVER) }));
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
      world.startBatch.execute(ANN, {
        ...asked,
        selector: { tags },
        bounds: { maxParallel: 4, canary: 2, stopAfterFailures: 1 },
        outsideWindow: true,
      }),
  }));
  return [...scheduled, ...patched, ...planned, ...inBatches].toSorted((one, other) => one.at - other.at);
}

const dryRun = (jobs: DemoJobs, server: Server, at: Instant): Step => ({
  at,
  run: () => jobs.ask({ server, type: 'os_patch', at, by: 'user:ann', dryRun: true }),
});

/** Checks the fleet as the service does: opens alerts, and sends notifications. */
async function look(world: DemoPorts, chance: Chance, at: Instant): Promise<void> {
  world.clock.setTo(at);
  await world.watchConditions.execute(NEVER);
  await deliver(world, chance);
}

/** The users' reactions to alerts. */
async function answered({ manageAlerts, notifications, clock }: DemoPorts, now: Instant): Promise<void> {
  clock.setTo(now - 2 * MINUTE);
  const { items } = await notifications.list({ kind: 'server.unreachable' }, { limit: 1, offset: 0 });
  for (const { id } of items) await manageAlerts.acknowledge(ANN, id);
  await manageAlerts.mute(ANN, { kind: 'updates.available', serverId: null, until: now + 2 * DAY });
}

/** A template that runs somewhere. */
async function deployed(
  { deployments, box }: DemoPorts,
  servers: readonly Server[],
  now: Instant,
): Promise<void> {
  for (const name of ['app-01', 'app-07']) {
    const server = servers.find((each) => each.name === name);
    if (!server) continue;
    await deployments.record(
      {
        serverId: server.id,
        directory: '/srv/compose/uptime-kuma',
        project: 'uptime-kuma',
        templateName: 'uptime-kuma',
        templateVersion: 1,
        values: { port: '3001' },
        secretNames: [],
        files: ['compose.yaml'],
        jobId: 1,
        deployedAt: now - 20 * DAY,
      },
      (id) => box.seal('{}', { table: 'template_deployments', column: 'sealed_secrets', row: id }),
      () => ({}),
    );
  }
}

async function addServer(
  ports: DemoPorts,
  {
    kind,
    number,
    chance,
    now,
    night,
    settings,
  }: {
    readonly kind: ServerKind;
    readonly number: number;
    readonly chance: Chance;
    readonly now: Instant;
    /** When backups were made last. */
    readonly night: Instant;
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
    }),
    at,
    (server) => ({ audit: [auditEntry(ANN, at, 'server.add', `server:${server.id}`)] }),
  );
  await ports.servers.change(id, { address: { hostKey: hostKeyOf(name) } }, at, () => ({}));
  const snapshots: NewSnapshot[] = [];
  for (const [source, paths] of Object.entries(kind.sources)) {
    const repositoryId = source === OFFSITE ? settings.repositoryId : null;
    const added = await ports.sources.add(
      describeSource({ serverId: id, name: source, paths, repositoryId, at }),
      () => ({}),
    );
    for (let day = SNAPSHOTS; day >= 1; day -= 1) {
      const startedAt = night - (day - 1) * DAY;
      const totalBytes = chance.between(20, 9_000) * 1_048_576;
      snapshots.push({
        serverId: id,
        sourceId: added.id,
        sourceName: source,
        jobId: null,
        engine: added.engine,
        name: nameAt(startedAt),
        startedAt,
        finishedAt: startedAt + chance.between(20, 900) * 1_000,
        fileCount: chance.between(300, 90_000),
        totalBytes,
        transferredBytes: Math.round(totalBytes / chance.between(8, 60)),
        vanishedCount: 0,
        manifestSha256: '0'.repeat(64),
      });
    }
  }
  const found = foundServer(kind, name, chance, now);
  for (const snapshot of snapshots)
    await ports.snapshots.add(notAfter(snapshot, found.facts.lastBackupAt ?? now, night));
  const past = samplesBefore(found, { id, isFirst: number === 1, now });
  await ports.inventories.addSamples(id, past);
  await ports.inventories.save(id, found.inventory, { ...found.facts, ...diskFacts(past, found) });
  const server = await ports.servers.find(id);
  if (!server) throw new Error(`${name} of the demonstration is not there`);
  return server;
}

/** A server whose backups are late has no snapshot since then: all of them are as many days older. */
function notAfter(snapshot: NewSnapshot, last: Instant, night: Instant): NewSnapshot {
  const late = Math.max(0, Math.ceil((night - last) / DAY)) * DAY;
  const startedAt = snapshot.startedAt - late;
  return { ...snapshot, name: nameAt(startedAt), startedAt, finishedAt: snapshot.finishedAt - late };
}

const nameAt = (at: Instant): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '');

/** Database dumps are stored offsite as well. */
const OFFSITE = 'dumps';

/** A random key in the form of an SSH key. */
function hostKeyOf(name: string): PinnedHostKey {
  const algorithm = 'ssh-ed25519';
  const parts = [Buffer.from(algorithm), createHash('sha256').update(name).digest()];
  const blob = Buffer.concat(parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part]));
  const fingerprint = withoutEnd(createHash('sha256').update(blob).digest('base64'), '=');
  return { algorithm, blob: blob.toString('base64'), fingerprint: `SHA256:${fingerprint}` };
}

/** Running jobs during the visit; they never end. */
async function underWay(jobs: DemoJobs, servers: readonly Server[], now: Instant): Promise<void> {
  const backup = servers.find(({ name }) => name === 'nas-01');
  const patch = servers.find(({ name }) => name === 'app-03');
  for (const [server, type, minutes, line] of [
    [backup, 'backup', 11, 'Source "shares": reading what is there.'],
    [patch, 'os_patch', 2, 'Setting up openssl (3.0.15-1) ...'],
  ] as const) {
    if (server) await jobs.begin({ server, type, at: now - minutes * MINUTE, by: 'user:ann' }, [line]);
  }
}
