import type { InventoryStore } from '../../application/ports/inventory-store.ts';
import type { JobQueue } from '../../application/ports/job-queue.ts';
import type { JobStore } from '../../application/ports/job-store.ts';
import type { ServerStore } from '../../application/ports/server-store.ts';
import type { SnapshotStore } from '../../application/ports/snapshot-store.ts';
import type { SourceStore } from '../../application/ports/source-store.ts';
import type { TokenStore } from '../../application/ports/token-store.ts';
import type { UserStore } from '../../application/ports/user-store.ts';
import { Actor } from '../../domain/actor.ts';
import { auditEntry } from '../../domain/audit-entry.ts';
import { describeSource } from '../../domain/backup-source.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../domain/instant.ts';
import { requestJob } from '../../domain/job.ts';
import { requesterOf } from '../../domain/requester.ts';
import type { Server } from '../../domain/server.ts';
import { describeServer } from '../../domain/server-description.ts';
import type { User } from '../../domain/user.ts';
import { Chance } from './chance.ts';
import { DemoJobs } from './demo-jobs.ts';
import { foundServer } from './demo-servers.ts';
import { KINDS, type ServerKind } from './fleet.ts';

interface SeedPorts {
  readonly servers: ServerStore;
  readonly inventories: InventoryStore;
  readonly sources: SourceStore;
  readonly snapshots: SnapshotStore;
  readonly jobs: JobStore;
  readonly queue: JobQueue;
  readonly tokens: TokenStore;
  readonly users: UserStore;
}

/** Snapshots of a source, one a day. */
const SNAPSHOTS = 4;

/**
 * Fills an empty database with a fleet that does not exist, and its history up to now. It is the same at every start but
 * for the time. Returns the person as whom everybody looks at it.
 */
export async function seedDemo(ports: SeedPorts, now: Instant): Promise<User> {
  const chance = new Chance(20_261_120);
  const ann = Actor.system('user:ann');
  const jobs = new DemoJobs(ports, chance);
  const servers: Server[] = [];
  const histories: ReturnType<DemoJobs['historyOf']>[number][] = [];
  for (const kind of KINDS) {
    for (let number = 1; number <= kind.count; number += 1) {
      const { server, sources } = await addServer(ports, { kind, number, chance, now, ann });
      servers.push(server);
      histories.push(...jobs.historyOf(server, sources, now));
    }
  }
  for (const past of histories.toSorted((one, other) => one.at - other.at)) await jobs.past(past);
  await underWay(jobs, servers, now);
  await askedByAgent(ports, servers, now);
  return ports.users.add(
    { name: 'guest', role: 'administrator', createdBy: 'the demonstration', createdAt: now - 30 * DAY },
    () => ({}),
  );
}

async function addServer(
  ports: SeedPorts,
  {
    kind,
    number,
    chance,
    now,
    ann,
  }: {
    readonly kind: ServerKind;
    readonly number: number;
    readonly chance: Chance;
    readonly now: Instant;
    readonly ann: Actor;
  },
): Promise<{ readonly server: Server; readonly sources: readonly string[] }> {
  const name = `${kind.name}-${String(number).padStart(2, '0')}`;
  const at = now - chance.between(20, 200) * DAY;
  const { id } = await ports.servers.add(
    describeServer({
      name,
      connection: 'ssh',
      hostname: `${name}.example.org`,
      tags: kind.tags,
      features: kind.features,
    }),
    at,
    (server) => ({ audit: [auditEntry(ann, at, 'server.add', `server:${server.id}`)] }),
  );
  for (const [source, paths] of Object.entries(kind.sources)) {
    const added = await ports.sources.add(
      describeSource({ serverId: id, name: source, paths, at }),
      () => ({}),
    );
    for (let day = SNAPSHOTS; day >= 1; day -= 1) {
      const startedAt = now - day * DAY + 2 * HOUR;
      const totalBytes = chance.between(20, 9_000) * 1_048_576;
      await ports.snapshots.add({
        serverId: id,
        sourceId: added.id,
        sourceName: source,
        jobId: null,
        engine: 'rsync',
        name: new Date(startedAt).toISOString().replaceAll(/[-:.]/g, ''),
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
  const { facts, inventory } = foundServer(kind, name, chance, now);
  await ports.inventories.save(id, inventory);
  await ports.servers.learn(id, facts);
  const server = await ports.servers.find(id);
  if (!server) throw new Error(`${name} of the demonstration is not there`);
  return { server, sources: Object.keys(kind.sources) };
}

/** What runs while somebody looks; nothing of it ever ends. */
async function underWay(jobs: DemoJobs, servers: readonly Server[], now: Instant): Promise<void> {
  const backup = servers.find(({ name }) => name === 'nas-01');
  const patch = servers.find(({ name }) => name === 'app-03');
  for (const [server, type, minutes] of [
    [backup, 'backup', 11],
    [patch, 'os_patch', 2],
  ] as const) {
    if (!server) continue;
    const lines =
      type === 'backup' ? ['Source "shares": reading what is there.'] : ['Setting up openssl (3.0.15-1) ...'];
    await jobs.begin({ server, type, at: now - minutes * MINUTE, by: 'user:ann', lines });
  }
}

/** An agent asks for patches, and nobody has decided yet. */
async function askedByAgent(ports: SeedPorts, servers: readonly Server[], now: Instant): Promise<void> {
  const token = await ports.tokens.add(
    {
      name: 'mcp-patcher',
      prefix: 'drv_demonstr',
      scopes: ['read', 'jobs'],
      allowedCidrs: [],
      allowedServerIds: null,
      requireApproval: true,
      createdBy: 'user:ann',
      createdAt: now - 12 * DAY,
      expiresAt: now + 5 * DAY,
    },
    '0'.repeat(64),
    () => ({}),
  );
  const agent = new Actor({
    kind: 'token',
    id: token.id,
    name: token.name,
    address: '198.51.100.20',
    capabilities: new Set(['read', 'jobs']),
    features: null,
    serverIds: null,
    requireApproval: true,
  });
  const wanted = servers.filter(({ facts }) => (facts.securityUpdatesCount ?? 0) > 0).slice(0, 3);
  for (const [index, server] of wanted.entries()) {
    const at = now - (index + 1) * 9 * MINUTE;
    await ports.jobs.enqueue(
      requestJob({
        server,
        type: 'os_patch',
        params: { sourceFilter: null, service: null, osSteps: ['update', 'upgrade'], dryRun: false },
        requestedBy: agent.label,
        scheduled: false,
        approval: { requester: requesterOf(agent), expiresAt: at + DAY },
        at,
      }),
      ({ id }) => ({
        audit: [
          auditEntry(agent, at, 'job.request', `job:${id}`, { serverId: server.id, jobType: 'os_patch' }),
        ],
        events: [],
      }),
    );
  }
}
