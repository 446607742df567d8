import { NodeDigest } from '../../src/adapters/outbound/system/node-digest.ts';
import { CallCounter } from '../../src/application/access/call-counter.ts';
import { TokenCache } from '../../src/application/access/token-cache.ts';
import { MaintenanceGate } from '../../src/application/automation/maintenance-gate.ts';
import { OrderForecasts } from '../../src/application/automation/order-forecasts.ts';
import { OrderedBatches } from '../../src/application/automation/ordered-batches.ts';
import type { ScheduleChanges } from '../../src/application/automation/schedule-changes.ts';
import { RefusalAuditor } from '../../src/application/events/audit-refusals.ts';
import type { FileChanges } from '../../src/application/files/file-changes.ts';
import { SetFeatures } from '../../src/application/fleet/set-features.ts';
import { ApprovalPlans } from '../../src/application/jobs/approval-plans.ts';
import { ApprovalRules } from '../../src/application/jobs/approval-rules.ts';
import { ChangeHandlers } from '../../src/application/jobs/change-handlers.ts';
import { JobWakeup } from '../../src/application/jobs/job-wakeup.ts';
import { MakeChange } from '../../src/application/jobs/make-change.ts';
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
import { PlainSecretBox } from '../fakes/plain-secret-box.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { SeededRandomness } from '../fakes/seeded-randomness.ts';
import { sceneDatabase } from './scene-database.ts';
import { templateOrders } from './templates.ts';

/** Every store on a separate database, and what use cases share: take what the tested one needs. */
export function applicationScene(clock = new FakeClock()) {
  const { devices: deviceStore, ...database } = sceneDatabase(clock);
  const { audit, jobs, windows, templates, deployments, approvals, tokens, users, servers, settings } =
    database;
  const cron = new FakeCronClock();
  const wakeup = new JobWakeup();
  const refusals = new RefusalAuditor({ audit, clock });
  const digest = new NodeDigest();
  const log = new RecordingLogger();
  const box = new PlainSecretBox();
  const changes = new ChangeHandlers({
    setFeatures: new SetFeatures({ servers, clock, refusals }),
    fileChanges: {} as FileChanges,
    scheduleChanges: {} as ScheduleChanges,
  });
  const makeChange = new MakeChange({ approvals, changes, box, digest, clock, log });
  const gate = new MaintenanceGate({ windows, cron, clock });
  const orderedBatches = new OrderedBatches({ ...database, gate, clock });
  const scene = {
    ...database,
    deviceStore,
    clock,
    approvalMs: DAY,
    approvalRules: new ApprovalRules({ settings, tokens, users, clock }),
    plans: new ApprovalPlans({ approvals, jobs, clock, wakeup }),
    requesters: new RequesterActors({ tokens, users, clock }),
    orders: templateOrders({ templates, deployments, jobs, clock }),
    cron,
    gate,
    orderedBatches,
    orderForecasts: new OrderForecasts({ ...database, orderedBatches, gate, cron }),
    log,
    digest,
    box,
    changes,
    makeChange,
    randomness: new SeededRandomness(),
    cache: new TokenCache(),
    callCounter: new CallCounter(),
    wakeup,
    refusals,
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
