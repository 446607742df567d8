import { NodeDigest } from '../../src/adapters/outbound/system/node-digest.ts';
import { TokenCache } from '../../src/application/access/token-cache.ts';
import { MaintenanceGate } from '../../src/application/automation/maintenance-gate.ts';
import { RefusalAuditor } from '../../src/application/events/audit-refusals.ts';
import { ApprovalPlans } from '../../src/application/jobs/approval-plans.ts';
import { JobWakeup } from '../../src/application/jobs/job-wakeup.ts';
import { RequesterActors } from '../../src/application/jobs/requester-actors.ts';
import { Actor, type ActorProps } from '../../src/domain/access/actor.ts';
import type { Capability } from '../../src/domain/access/scope.ts';
import { describeSource } from '../../src/domain/backups/backup-source.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import type { Connection, FeatureFlags, Server } from '../../src/domain/fleet/server.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { FakeCronClock } from '../fakes/fake-cron-clock.ts';
import { fakeHostKey } from '../fakes/fake-host-key.ts';
import { InMemoryApprovalStore } from '../fakes/in-memory-approval-store.ts';
import { InMemoryAuditLog } from '../fakes/in-memory-audit-log.ts';
import { InMemoryBatchStore } from '../fakes/in-memory-batch-store.ts';
import { InMemoryDeploymentStore } from '../fakes/in-memory-deployment-store.ts';
import { InMemoryDumpStore } from '../fakes/in-memory-dump-store.ts';
import { InMemoryFleetBackups } from '../fakes/in-memory-fleet-backups.ts';
import { InMemoryJobs } from '../fakes/in-memory-jobs.ts';
import { InMemoryLeaseStore } from '../fakes/in-memory-lease-store.ts';
import { InMemoryReplicaStore } from '../fakes/in-memory-replica-store.ts';
import { InMemoryRepositoryStore } from '../fakes/in-memory-repository-store.ts';
import { InMemoryScheduleStore } from '../fakes/in-memory-schedule-store.ts';
import { InMemoryServerSelection } from '../fakes/in-memory-server-selection.ts';
import { InMemoryServerStore } from '../fakes/in-memory-server-store.ts';
import { InMemorySettingStore } from '../fakes/in-memory-setting-store.ts';
import { InMemorySnapshotStore } from '../fakes/in-memory-snapshot-store.ts';
import { InMemorySourceStore } from '../fakes/in-memory-source-store.ts';
import { InMemoryTemplateStore } from '../fakes/in-memory-template-store.ts';
import { InMemoryTokenStore } from '../fakes/in-memory-token-store.ts';
import { InMemoryUserStore } from '../fakes/in-memory-user-store.ts';
import { InMemoryWindowStore } from '../fakes/in-memory-window-store.ts';
import { InMemoryWorld } from '../fakes/in-memory-world.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { SeededRandomness } from '../fakes/seeded-randomness.ts';
import { templateOrders } from './templates.ts';

/** Every store in memory over shared state, and what use cases share: take what the tested one needs. */
export function applicationScene(clock = new FakeClock()) {
  const world = new InMemoryWorld();
  world.now = () => clock.now();
  const audit = new InMemoryAuditLog(world);
  const jobs = new InMemoryJobs(world);
  const cron = new FakeCronClock();
  const windows = new InMemoryWindowStore(world);
  const templates = new InMemoryTemplateStore(world);
  const deployments = new InMemoryDeploymentStore(world);
  const snapshots = new InMemorySnapshotStore(world);
  const approvals = new InMemoryApprovalStore(world);
  const tokens = new InMemoryTokenStore(world);
  const users = new InMemoryUserStore(world);
  const wakeup = new JobWakeup();
  const scene = {
    clock,
    world,
    audit,
    jobs,
    queue: jobs,
    servers: new InMemoryServerStore(world),
    repositories: new InMemoryRepositoryStore(world),
    sources: new InMemorySourceStore(world),
    dumps: new InMemoryDumpStore(world),
    snapshots,
    fleetBackups: new InMemoryFleetBackups(world, snapshots),
    tokens,
    users,
    approvals,
    approvalMs: DAY,
    plans: new ApprovalPlans({ approvals, jobs, clock, wakeup }),
    requesters: new RequesterActors({ tokens, users, clock }),
    settings: new InMemorySettingStore(world),
    replicas: new InMemoryReplicaStore(),
    leases: new InMemoryLeaseStore(world),
    schedules: new InMemoryScheduleStore(world),
    windows,
    templates,
    deployments,
    orders: templateOrders({ templates, deployments, jobs, clock }),
    selection: new InMemoryServerSelection(world),
    batches: new InMemoryBatchStore(world),
    cron,
    gate: new MaintenanceGate({ windows, cron, clock }),
    log: new RecordingLogger(),
    digest: new NodeDigest(),
    randomness: new SeededRandomness(),
    cache: new TokenCache(),
    wakeup,
    refusals: new RefusalAuditor({ audit, clock }),
  };
  return {
    ...scene,
    /** `local`: the machine that the service runs on, much of which is for administrators alone. */
    addServer: (
      name: string,
      features: Partial<FeatureFlags> = {},
      connection: Connection = 'local',
    ): Promise<Server> => {
      const described = describeServer({ name, connection, hostname: `${name}.example.org`, features });
      const address = { ...described.address, hostKey: fakeHostKey(name) };
      const server = connection === 'local' ? described : { ...described, address };
      return scene.servers.add(server, clock.now(), () => ({}));
    },
    addSource: (serverId: number, name = 'etc') =>
      scene.sources.add(describeSource({ serverId, name, paths: ['/etc'], at: clock.now() }), () => ({})),
  };
}

export type ApplicationScene = ReturnType<typeof applicationScene>;

/** A token's holder; by default one that may do everything. */
export const tokenActor = (
  over: Partial<Omit<ActorProps, 'capabilities'>> & { capabilities?: Capability[] } = {},
): Actor =>
  new Actor({
    kind: 'token',
    id: 5,
    name: 'agent',
    address: '203.0.113.7',
    features: null,
    serverIds: null,
    requireApproval: false,
    ...over,
    capabilities: new Set(over.capabilities ?? ['read', 'jobs', 'edit', 'files']),
  });
